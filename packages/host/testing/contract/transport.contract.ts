import { after, before } from 'node:test';
import { argumentsContract } from './arguments.contract.ts';
import { commandsContract } from './commands.contract.ts';
import { connectionContract } from './connection.contract.ts';
import type { Bench, ContractHost } from './contract-host.ts';
import { dropsContract } from './drops.contract.ts';
import { filesContract } from './files.contract.ts';
import { inputContract } from './input.contract.ts';
import { limitsContract } from './limits.contract.ts';
import { looksContract } from './looks.contract.ts';
import { lossContract } from './loss.contract.ts';
import { describe } from './test.ts';

export type { ContractHost, Network } from './contract-host.ts';

interface ContractOptions {
  readonly name: string;
  readonly open: () => Promise<ContractHost>;
  /** Topics that make no sense there. */
  readonly without?: readonly Topic[];
}

const topics = {
  commands: commandsContract,
  arguments: argumentsContract,
  input: inputContract,
  'deadlines and cancellation': limitsContract,
  'reads that travel together': looksContract,
  files: filesContract,
  'a connection that breaks at an exact point': dropsContract,
  'a connection that is lost': lossContract,
  'first contact': connectionContract,
} satisfies Record<string, (bench: Bench) => void>;

export type Topic = keyof typeof topics;

/** Contract of every transport, whatever host is at the other end. */
export function transportContract({ name, open, without = [] }: ContractOptions): void {
  describe(`transport contract: ${name}`, () => {
    let host: ContractHost | undefined;
    const bench: Bench = () => {
      if (!host) throw new Error(`${name} is not open`);
      return host;
    };
    before(async () => {
      host = await open();
    });
    after(() => host?.close());
    for (const [title, topic] of Object.entries(topics)) {
      if (!without.includes(title as Topic)) describe(title, () => topic(bench));
    }
  });
}

import type { AgentClient } from '../agent-client/agent-client.ts';
import type { GuestSpec } from '../guest.ts';
import type { LogStream } from './cri-log.ts';
import { type RunningProcess, runGuestProcess } from './guest-process.ts';
import type { ProcessFacts } from './judge-exit.ts';

/** What is known of the Pod's process at any moment. */
export interface WatchedProcess {
  readonly facts: ProcessFacts;
  /** Undefined without a process, and after its end. */
  readonly running: RunningProcess | undefined;
  /** Resolves when it has ended or was lost; never without one. */
  readonly settled: Promise<void>;
}

export interface WatchProcessOptions {
  readonly agent: AgentClient;
  readonly spec: Pick<GuestSpec, 'process'>;
  readonly address: string;
  readonly onOutput: (stream: LogStream, data: Buffer) => void;
  /** The moment it ended with a code. */
  readonly onExit: () => void;
}

export function watchProcess({ agent, spec, address, onOutput, onExit }: WatchProcessOptions): WatchedProcess {
  if (!spec.process) return { facts: { state: 'none' }, running: undefined, settled: new Promise(() => undefined) };
  const running = runGuestProcess({ agent, process: spec.process, address, onOutput });
  let facts: ProcessFacts = { state: 'unfinished' };
  const settled = running.exited.then(
    code => {
      facts = { state: 'exited', code };
      onExit();
    },
    (error: unknown) => {
      facts = { state: 'lost', why: (error as Error).message };
    },
  );
  return {
    get facts() {
      return facts;
    },
    get running() {
      return facts.state === 'unfinished' ? running : undefined;
    },
    settled,
  };
}

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@minifleet/clock';
import {
  createChance,
  createFaultPlan,
  createJournal,
  createWorldClock,
  type FaultPlan,
  type Journal,
} from '@minifleet/world';
import { type BuiltMac, createMac, m1, macParts, type SshServer, startSshServer } from '@minifleet/world/mac';
import type { CliContext } from '../context.ts';
import { publicKeyOf } from '../prepare/public-key.ts';
import { type CommandLineResult, commandLine } from './command-line.ts';

/** Simulated Mac behind a real SSH socket on a clock of ten times the speed, and a user with a folder and a key. */
export interface SshMac {
  readonly mac: BuiltMac;
  readonly server: SshServer;
  readonly journal: Journal;
  readonly faults: FaultPlan;
  readonly folder: string;
  /** `m1@127.0.0.1:41234`. */
  readonly address: string;
  readonly keyFile: string;
  put(name: string, content: string): string;
  run(...argv: readonly string[]): Promise<CommandLineResult>;
  runWith(context: Partial<CliContext>, ...argv: readonly string[]): Promise<CommandLineResult>;
  /** Replaces the Mac behind the port, like a reinstallation. */
  reinstall(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const PASSWORD = 'correct horse';

/** Starts the Mac. `acceptsKey`: the Mac accepts the user's key (default: true). */
export async function sshMac(options: { readonly acceptsKey?: boolean } = {}): Promise<SshMac> {
  const clock = createWorldClock(systemClock, 10);
  const chance = createChance('ssh mac');
  const context = { clock, chance, journal: createJournal(clock), faults: createFaultPlan(chance.stream('faults')) };
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-cli-ssh-'));
  const put = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const keyFile = put('key', pem);
  const build = (): BuiltMac => {
    const known = { name: 'mini-01', serverId: chance.uuid(), address: '127.0.0.1', password: PASSWORD };
    const mac = createMac({ ...known, macos: { version: '26.3', build: '25D125' }, parts: macParts }, context);
    const keys = options.acceptsKey === false ? '' : `${publicKeyOf(Buffer.from(pem))}\n`;
    mac.files.write(m1, `${m1.home}/.ssh/scw_authorized_keys`, keys, { mode: 0o600 });
    return mac;
  };
  let mac = build();
  let server = await startSshServer(mac);
  const end = async (): Promise<void> => {
    await hangUpsArrive();
    mac.shutDown();
    await server.close();
  };
  const runWith = (given: Partial<CliContext>, ...argv: readonly string[]): Promise<CommandLineResult> =>
    commandLine({ clock, home: folder, stateDirectory: folder, ...given })(...argv);
  return {
    get mac() {
      return mac;
    },
    get server() {
      return server;
    },
    ...context,
    folder,
    address: `m1@127.0.0.1:${server.port}`,
    keyFile,
    put,
    runWith,
    run: (...argv) => runWith({}, ...argv),
    async reinstall() {
      await end();
      mac = build();
      server = await startSshServer(mac, { port: server.port });
    },
    async [Symbol.asyncDispose]() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The server resets its remaining connections. A connection that the client has just closed and the server has not read to
 * its end stays open forever when it is reset, and keeps the test process alive. A few event loop turns let it end.
 */
async function hangUpsArrive(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostTransport } from '@minifleet/host';
import { passTime, type TestHost, type TestHostOptions, testHost } from '@minifleet/host/testing';
import type { CliContext } from '../context.ts';
import { type CommandLineResult, commandLine } from './command-line.ts';

/** Simulated Mac at 203.0.113.7 and a user folder, on a fake clock and without a socket. */
export interface FreshMac extends TestHost {
  readonly folder: string;
  /** Writes a file into the folder and returns its path. */
  put(name: string, content: string | Uint8Array): string;
  run(...argv: readonly string[]): Promise<CommandLineResult>;
  /** Runs a command line with another context. */
  runWith(context: Partial<CliContext>, ...argv: readonly string[]): Promise<CommandLineResult>;
  [Symbol.dispose](): void;
}

export const HOST_KEY = 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU';
export const ADDRESS = 'm1@203.0.113.7';

export function freshMac(options: TestHostOptions = {}): FreshMac {
  const mac = testHost({ passwordlessSudo: false, ...options });
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-cli-'));
  const put = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  put('key', 'unused key');
  const runWith = async (context: Partial<CliContext>, ...argv: readonly string[]): Promise<CommandLineResult> => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const openTransport = (): HostTransport => transportOf(mac, begin);
    const given = { clock: mac.clock, home: folder, stateDirectory: folder, openTransport };
    const work = commandLine({ ...given, ...context })(...argv);
    // The fake clock starts with the first command, because it must not advance while files are read in real time.
    await Promise.race([begun, work]);
    return passTime(mac.clock, work);
  };
  return {
    ...mac,
    folder,
    put,
    runWith,
    run: (...argv) => runWith({}, ...argv),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Returns the transport of the Mac with a readable address. */
const transportOf = ({ transport }: TestHost, onCommand: () => void): HostTransport => ({
  address: `${ADDRESS}:22`,
  hostKey: HOST_KEY,
  get roundTrips() {
    return transport.roundTrips;
  },
  run(command) {
    onCommand();
    return transport.run(command);
  },
  close: () => transport.close(),
});

import { type ConvergeReport, converge, hostPlan, type JournalEntry } from '@minifleet/host';
import { readSpecFile } from '@minifleet/spec-file';
import { connectHost } from '../host/connect-host.ts';
import type { Surroundings } from '../surroundings.ts';
import type { HostToBe } from './hosts-to-be.ts';

/** What came of a Mac that was to become a host. */
export interface Became {
  readonly well: boolean;
  readonly words: string;
  /** What it showed; undefined when it was never reached. */
  readonly hostKey: string | undefined;
}

export interface BecomeOptions {
  readonly keyFile: string;
  readonly onEntry: (entry: JournalEntry) => void;
}

const USER = 'm1';

/** Converges one simulated Mac as `minifleet host converge` would. It never throws: a host that fails says so. */
export async function becomeHost(mac: HostToBe, options: BecomeOptions, around: Surroundings): Promise<Became> {
  let hostKey: string | undefined;
  try {
    const spec = await readSpecFile(mac.specFile, { name: undefined, user: USER, password: undefined });
    const address = { user: USER, host: '127.0.0.1', port: mac.port };
    const reach = { address, user: USER, identity: options.keyFile, hostKey: undefined, acceptNewHostKey: true };
    const connection = await connectHost(reach, around);
    const { host, transport, redactor } = connection;
    try {
      const how = { holder: 'minifleet up', allow: 'running VMs', reboot: 'never' } as const;
      const { signal } = around;
      const report = await converge(host, hostPlan(spec), { ...how, redactor, signal, onEntry: options.onEntry });
      return { well: report.outcome === 'converged', words: wordsOf(report), hostKey: transport.hostKey };
    } finally {
      hostKey = transport.hostKey;
      await connection.close();
    }
  } catch (error) {
    return { well: false, words: error instanceof Error ? error.message : String(error), hostKey };
  }
}

const wordsOf = ({ outcome, steps, error }: ConvergeReport): string =>
  error
    ? `${error.message} (${error.code})`
    : `${outcome}, ${steps.filter(({ changed }) => changed).length} steps changed`;

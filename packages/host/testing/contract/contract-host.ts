import type { Host } from '../../host.ts';
import type { SshTransportOptions } from '../../transport/ssh-transport.ts';
import type { Argv, HostTransport } from '../../transport/transport.ts';

/** A host to hold transports against: how to reach it, and what may be done to it. */
export interface ContractHost {
  /** One transport for all tests that do no harm to it. */
  readonly transport: HostTransport;
  readonly host: Host;
  /** An empty folder on the host. */
  readonly folder: string;
  /** Owner of files on the host. */
  readonly owner: string;
  /** A command that kills itself with SIGKILL. */
  readonly suicide: Argv;
  /** True if an aborted command receives a signal: OpenSSH does not signal root processes. */
  readonly passesSignals: boolean;
  /** True if input is accepted only as the command reads it: the simulation accepts all at once. */
  readonly holdsInputBack: boolean;
  /** Undefined where there is nothing to dial. */
  readonly network: Network | undefined;
  /** Undefined where a connection cannot be made to break at an exact point. */
  readonly drop: ((when: 'before' | 'during' | 'after') => void) | undefined;
  close(): Promise<void>;
}

export interface Network {
  readonly port: number;
  /** Opens another transport to the same host. The caller closes it. */
  open(options?: Partial<SshTransportOptions>): HostTransport;
  /** Breaks every connection while commands run. */
  breakConnections(): Promise<void>;
  /** Continues with another host key, as a reinstalled host. */
  changeHostKey(): Promise<void>;
}

/** Input of a contract topic: the host exists once the tests run. */
export type Bench = () => ContractHost;

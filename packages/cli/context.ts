import type { Clock } from '@minifleet/clock';
import type { HostTransport, openSshTransport } from '@minifleet/host';
import type { Client } from '@minifleet/kube/client';
import type { ClusterRequest } from './cluster/cluster-options.ts';
import type { ResolveName } from './host/resolve-address.ts';

/** Environment of a command. main.ts passes the real one, tests pass their own. */
export interface CliContext {
  readonly clock: Clock;
  readonly output: CliOutput;
  readonly errors: CliOutput;
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Set only on an interactive terminal. */
  readonly prompts?: Prompts | undefined;
  /** Aborts on SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** False if `NO_COLOR` is set. */
  readonly colours: boolean;
  /** Environment variables: `KUBECONFIG`, and the variables that credential plugins inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Home directory, for SSH keys in `.ssh` and the kubeconfig in `.kube`. */
  readonly home: string;
  /** Directory for state that outlives a command: the known host keys. */
  readonly stateDirectory: string;
  /** Returns the kubeconfig to use where neither $KUBECONFIG nor ~/.kube/config exists. */
  readonly fallbackKubeconfig?: (stateDirectory: string) => string | undefined;
  /** Identity shown to other users of the same host: `anna@laptop`. */
  readonly who: string;
  /** Command name in help and examples: `kubectl minifleet` for the plugin (default: `minifleet`). */
  readonly calledAs?: string;
  /** Opens the connection to a host (default: SSH). */
  readonly openTransport?: (...options: Parameters<typeof openSshTransport>) => HostTransport;
  /** Resolves a DNS name (default: the resolver of this computer). */
  readonly resolveName?: ResolveName;
  /** Opens the connection to a cluster (default: from the kubeconfig). */
  readonly openCluster?: (request: ClusterRequest, context: CliContext) => Client;
}

export interface CliOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Interactive questions. The answer is undefined if the user presses Ctrl-C. */
export interface Prompts {
  /** Reads a password without echo. */
  password(question: string): Promise<string | undefined>;
  confirm(question: string): Promise<boolean | undefined>;
}

import type { Clock } from '@minifleet/clock';
import type { openSshTransport, Transport } from '@minifleet/host';
import type { Client } from '@minifleet/kube/client';
import type { ClusterRequest } from './cluster/cluster-options.ts';

/** What a command is given of the outside world: main.ts passes the real one, a test its own. */
export interface CliContext {
  readonly clock: Clock;
  readonly output: OutputStream;
  readonly errors: OutputStream;
  /** What is piped in, where nobody sits at a terminal. */
  readonly input: AsyncIterable<Uint8Array>;
  /** There only when someone sits at a terminal and can answer. */
  readonly prompts?: Prompts | undefined;
  /** Aborts when the user wants to stop. */
  readonly signal: AbortSignal;
  /** False when the user set `NO_COLOR`. */
  readonly colours: boolean;
  /** What a kubeconfig is found by, and what its plugins inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where keys are looked for, in `.ssh`, and a kubeconfig, in `.kube`. */
  readonly home: string;
  /** Where we keep what must be known next time: the keys hosts showed. */
  readonly stateDirectory: string;
  /** Returns the kubeconfig to use where neither $KUBECONFIG nor ~/.kube/config exists. */
  readonly fallbackKubeconfig?: (stateDirectory: string) => string | undefined;
  /** Who we are to others who work on the same host: `anna@laptop`. */
  readonly who: string;
  /** How the user calls us, for help and examples: `kubectl minifleet` as a plugin, `minifleet` unless said. */
  readonly calledAs?: string;
  /** How a host is reached: over SSH unless given. */
  readonly openTransport?: (...options: Parameters<typeof openSshTransport>) => Transport;
  /** How a cluster is reached: by its kubeconfig unless given. */
  readonly openCluster?: (request: ClusterRequest, context: CliContext) => Client;
}

export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Questions to the user; undefined when the user wants to stop instead. */
export interface Prompts {
  /** Nothing of what is typed is shown. */
  password(question: string): Promise<string | undefined>;
  confirm(question: string): Promise<boolean | undefined>;
}

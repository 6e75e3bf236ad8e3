/** What the server needs to know of a Pod and may do with its guest. The agent gives it; a test gives local processes. */
import type { ExecOptions, ExecSession, GuestScreen, GuestState } from '../guests/guest.ts';

export interface ServedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** By name; the guest is the one that runs. */
  readonly containers: readonly string[];
  /** Now; undefined while there is no guest, or no longer one. */
  readonly state: GuestState | undefined;
  /** Calls back the moment the state changes. The function it returns ends that. */
  onStateChange(listener: () => void): () => void;
  /** The CRI log of this run and of the one before; undefined where there was none. It need not exist yet. */
  logFile(run: 'current' | 'previous'): string | undefined;
  /** In the running guest. Both outputs end with the command. */
  exec(options: ExecOptions): Promise<ExecSession>;
  /** Where the host reaches the guest; undefined while it has no address. */
  readonly address: string | undefined;
  /** The screen of the guest as the host serves it; undefined when this guest has none, rejects while it is not served. */
  screen?(): Promise<GuestScreen | undefined>;
}

export interface PodName {
  readonly namespace: string;
  readonly name: string;
  /** When given, a Pod of the same name and another UID is not the one. */
  readonly uid?: string | undefined;
}

export interface ServerGuests {
  find(pod: PodName): ServedPod | undefined;
}

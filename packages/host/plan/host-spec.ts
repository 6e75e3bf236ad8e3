import type { Secret } from '@minifleet/secret';
import type { Artifact } from '../host.ts';

/**
 * All that is wanted of a host, in one definition: every field is either the fleet's or the host's own, never both, and
 * each reaches exactly the steps it concerns. What a field changes is hashed because it is what the steps are given.
 */
export interface HostSpec {
  readonly fleet: FleetSpec;
  readonly host: PerHostSpec;
}

/** The same for every host of a fleet. A part that is left out, or `false` where it has a default, is taken off the host. */
export interface FleetSpec {
  readonly agent?: AgentSpec;
  readonly tart?: TartSpec;
  /** What guests may reach; guarded with the defaults unless said. */
  readonly egress?: EgressSpec | false;
  /** Networks programs may reach without a click; the private ones of RFC 1918 unless said. */
  readonly localNetwork?: readonly string[] | false;
  /** How long a guest keeps its address; ten minutes unless said: with a day, 253 guests use all of them up. */
  readonly guestLeaseSeconds?: number | false;
  readonly logRotation?: LogRotationSpec | false;
  /** Labels of the Node; a host's own go before them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Makes the host an image builder. */
  readonly builder?: BuilderSpec;
}

/** What differs from host to host. */
export interface PerHostSpec {
  /** Of the Node and of the Mac. */
  readonly name: string;
  /** The account everything runs under, and who is logged in at the screen. */
  readonly user: string;
  readonly password?: Secret;
  /** How the agent reaches the cluster; left as it is on the host unless given. */
  readonly kubeconfig?: Secret;
  readonly providerId?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Needed only when the runner must register. */
  readonly runnerToken?: Secret;
}

export interface AgentSpec {
  readonly binary: Artifact;
  readonly hostCpu?: number;
  readonly hostMemoryMb?: number;
  readonly maxPods?: number;
}

export interface TartSpec {
  readonly version: string;
  /** Upstream's `tart.tar.gz`. */
  readonly archive: Artifact;
}

export interface EgressSpec {
  readonly guests?: { readonly v4: string; readonly v6?: string };
  readonly blocked?: { readonly v4: readonly string[]; readonly v6: readonly string[] };
  readonly allow?: readonly {
    readonly to: string;
    readonly ports: string;
    readonly protocols: readonly ('tcp' | 'udp')[];
  }[];
}

export interface LogRotationSpec {
  readonly files?: readonly string[];
  readonly maxBytes?: number;
  readonly keep?: number;
}

export interface BuilderSpec {
  /** Homebrew's install script, by its content. */
  readonly homebrewInstaller: Artifact;
  readonly formulae: readonly { readonly name: string; readonly version?: string; readonly pinned: boolean }[];
  readonly xcode: { readonly developerDirectory: string };
  readonly buildCache: { readonly directory: string; readonly variable: string };
  readonly runner: RunnerSpec;
}

export interface RunnerSpec {
  /** `https://github.com/<organization>`. */
  readonly url: string;
  readonly labels: readonly string[];
  readonly version: string;
  readonly archive: Artifact;
}

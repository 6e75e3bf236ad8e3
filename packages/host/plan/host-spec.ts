import type { Secret } from '@minifleet/secret';
import type { Artifact } from '../host.ts';

/**
 * Desired state of a host in one definition. Every field belongs either to the fleet or to the host, and reaches
 * exactly the steps it concerns. Fields are hashed through the desired values of the steps.
 */
export interface HostSpec {
  readonly fleet: FleetSpec;
  readonly host: PerHostSpec;
}

/**
 * Settings shared by all hosts of a fleet. A part that is missing, or `false` where it has a default, is removed from
 * the host.
 */
export interface FleetSpec {
  readonly agent?: AgentSpec;
  readonly tart?: TartSpec;
  /** Destinations that guests may reach (default: no private networks). */
  readonly egress?: EgressSpec | false;
  /** Networks that programs may reach without a click (default: RFC 1918). */
  readonly localNetwork?: readonly string[] | false;
  /** DHCP lease of guests (default: 600). With the macOS default of one day, 253 guests use up all addresses. */
  readonly guestLeaseSeconds?: number | false;
  readonly logRotation?: LogRotationSpec | false;
  /** Node labels; labels of the host take precedence. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Makes the host an image builder. */
  readonly builder?: BuilderSpec;
}

/** Settings of one host. */
export interface PerHostSpec {
  /** Name of the Node and of the Mac. */
  readonly name: string;
  /** Account that runs everything and is logged in to the GUI session. */
  readonly user: string;
  readonly password?: Secret;
  /** Credentials of the agent for the cluster (default: the file on the host is kept). */
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
  /** Homebrew's install script, for Macs without Homebrew. Homebrew publishes no hash of it, so there is no default. */
  readonly homebrewInstaller?: Artifact | false;
  /** `version` is a minimum. */
  readonly formulae: readonly { readonly name: string; readonly version?: string; readonly pinned: boolean }[];
  readonly xcode: { readonly developerDirectory: string };
  readonly buildCache: { readonly directory: string; readonly variable: string };
  readonly runner: RunnerSpec;
}

export interface RunnerSpec {
  /** `https://github.com/<organization>`. A provider takes URL and labels from the machine. */
  readonly url?: string;
  readonly labels?: readonly string[];
  readonly version: string;
  readonly archive: Artifact;
}

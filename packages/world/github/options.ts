import type { KeyObject } from 'node:crypto';
import { type Duration, minutes, seconds } from '@minifleet/clock';
import type { WorldDeps } from '../world-deps.ts';
import type { RunnerReleaseOptions } from './runners/runner-releases.ts';
import type { ScaleSetBehaviour } from './scale-set/behaviour.ts';

/**
 * Configurable behaviour where GitHub gives no guarantee. Every value is a guess from reports or documentation, so
 * tests can set each one, and no code may rely on any.
 */
export interface GithubBehaviour {
  /** Time until a vanished runner becomes offline (derived: runners poll every 50 s). */
  readonly sessionLapse: Duration;
  /** Time until the job of a vanished runner fails. Until then the runner is `offline`, `busy` and cannot be deleted. */
  readonly leaseLapse: Duration;
  /** Time that an ephemeral runner stays busy after its job; reports say seconds to tens of seconds. */
  readonly lingerAfterJob: Duration;
  /** Time after which an idle ephemeral runner is removed although it is online; 0 for never. Reports: 2 to 6 minutes. */
  readonly idleLimit: Duration;
  /** Time until an offline runner is removed. Facts §6.6: one day for ephemeral runners, fourteen days for others. */
  readonly ephemeralOfflineLimit: Duration;
  readonly offlineLimit: Duration;
  /** Maximum time in the queue. Facts §6.1: one day. */
  readonly longestQueued: Duration;
  /** Duration of a runner's long poll for a job. */
  readonly longPoll: Duration;
  /** Form of installation tokens: `ghs_<app>_<JWT>`, or the 40 characters of tokens before 2026. */
  readonly installationToken: 'stateless' | 'short';
  /** Requests per hour and installation. */
  readonly requestsPerHour: number;
  /** Selects one of several eligible idle runners for a job. GitHub guarantees no order: `any` is random. */
  readonly choice: 'any' | 'longest idle' | 'newest';
}

export const defaultBehaviour: GithubBehaviour = {
  sessionLapse: minutes(1),
  leaseLapse: minutes(10),
  lingerAfterJob: seconds(0),
  idleLimit: seconds(0),
  ephemeralOfflineLimit: minutes(24 * 60),
  offlineLimit: minutes(14 * 24 * 60),
  longestQueued: minutes(24 * 60),
  longPoll: seconds(50),
  installationToken: 'stateless',
  requestsPerHour: 5_000,
  choice: 'any',
};

export type PermissionLevel = 'read' | 'write';
export type Permissions = Readonly<Record<string, PermissionLevel>>;

interface InstallationOptions {
  readonly id: number;
  /** The organization it is installed on. */
  readonly account: string;
  /** Permissions granted by the owner (default: read and write on self-hosted runners). */
  readonly permissions?: Permissions;
  readonly suspended?: boolean;
}

export interface AppOptions {
  readonly id: number;
  readonly slug?: string;
  readonly clientId?: string;
  /** The public key, or the private key: PEM (PKCS#1 or PKCS#8) or a key object. */
  readonly key: string | KeyObject;
  readonly installations: readonly InstallationOptions[];
}

interface RunnerGroupOptions {
  readonly name: string;
  /** Names of the repositories that may use the group (default: all). */
  readonly repositories?: readonly string[];
}

export interface OrganizationOptions {
  readonly login: string;
  readonly repositories?: readonly string[];
  /** In addition to `Default`, which has id 1 in every organization. */
  readonly groups?: readonly RunnerGroupOptions[];
}

export interface HookOptions {
  readonly url: string;
  readonly secret: string;
  /** The App that owns the hook: it gets only events of its installations, and `installation` is in the payload. */
  readonly app?: number;
}

export interface GithubOptions {
  readonly deps: WorldDeps;
  readonly host?: string;
  readonly port?: number;
  readonly apps: readonly AppOptions[];
  readonly organizations: readonly OrganizationOptions[];
  readonly hooks?: readonly HookOptions[];
  readonly behaviour?: Partial<GithubBehaviour>;
  readonly scaleSets?: Partial<ScaleSetBehaviour>;
  /** Versions of actions/runner (default: `defaultRunnerReleases`). */
  readonly runnerReleases?: Partial<RunnerReleaseOptions>;
  /** Validates every REST request and response against the published OpenAPI description, which is read once. */
  readonly checkOpenApi?: boolean;
}

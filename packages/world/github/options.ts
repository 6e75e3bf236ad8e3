import type { KeyObject } from 'node:crypto';
import { type Duration, minutes, seconds } from '@minifleet/clock';
import type { WorldDeps } from '../world-deps.ts';
import type { ScaleSetBehaviour } from './scale-set/behaviour.ts';

/**
 * How the service behaves where it gives no promise. Every value is a guess from reports or documentation, so a test
 * can set each: nothing may rely on one of them.
 */
export interface GithubBehaviour {
  /** A runner that vanished stays online this long (derived: it is polled every 50 s). */
  readonly sessionLapse: Duration;
  /** A job whose runner vanished stays in progress this long; until then the runner is `offline` and `busy`, and undeletable. */
  readonly leaseLapse: Duration;
  /** An ephemeral runner lingers this long after its job, still busy: field reports say seconds to tens of seconds. */
  readonly lingerAfterJob: Duration;
  /** Facts §6.6: one day, and fourteen for a runner that is not ephemeral. */
  readonly ephemeralOfflineLimit: Duration;
  readonly offlineLimit: Duration;
  /** Facts §6.1: a job waits at most a day. */
  readonly longestQueued: Duration;
  /** How long a runner's question for a job is held open. */
  readonly longPoll: Duration;
  /** Requests per hour and installation. */
  readonly requestsPerHour: number;
  /** Which of several eligible idle runners gets a job. GitHub promises nothing: `any` is by chance. */
  readonly choice: 'any' | 'longest idle' | 'newest';
}

export const defaultBehaviour: GithubBehaviour = {
  sessionLapse: minutes(1),
  leaseLapse: minutes(10),
  lingerAfterJob: seconds(0),
  ephemeralOfflineLimit: minutes(24 * 60),
  offlineLimit: minutes(14 * 24 * 60),
  longestQueued: minutes(24 * 60),
  longPoll: seconds(50),
  requestsPerHour: 5_000,
  choice: 'any',
};

export type PermissionLevel = 'read' | 'write';
export type Permissions = Readonly<Record<string, PermissionLevel>>;

interface InstallationOptions {
  readonly id: number;
  /** The organization it is installed on. */
  readonly account: string;
  /** What the owner granted; read and write on self-hosted runners unless said. */
  readonly permissions?: Permissions;
  readonly suspended?: boolean;
}

export interface AppOptions {
  readonly id: number;
  readonly slug?: string;
  readonly clientId?: string;
  /** The public half of the key pair, or the private key itself: PEM (PKCS#1 or PKCS#8) or a key object. */
  readonly key: string | KeyObject;
  readonly installations: readonly InstallationOptions[];
}

interface RunnerGroupOptions {
  readonly name: string;
  /** Names of the repositories that may use it; all unless said. */
  readonly repositories?: readonly string[];
}

export interface OrganizationOptions {
  readonly login: string;
  readonly repositories?: readonly string[];
  /** Besides `Default`, which has id 1 in every organization. */
  readonly groups?: readonly RunnerGroupOptions[];
}

export interface HookOptions {
  readonly url: string;
  readonly secret: string;
  /** The App the hook belongs to: only what happens where it is installed is sent, and `installation` is in the payload. */
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
  /** Holds every request and answer of the REST part against the published OpenAPI description (read once, 13 MB). */
  readonly checkOpenApi?: boolean;
}

import type { KeyObject } from 'node:crypto';
import type { Surroundings } from '../surroundings.ts';
import type { Habits } from './habits.ts';
import type { ScaleSetHabits } from './scale-set/habits.ts';

export type Access = 'read' | 'write';
export type Permissions = Readonly<Record<string, Access>>;

export interface InstallationOptions {
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

export interface RunnerGroupOptions {
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
  readonly surroundings: Surroundings;
  readonly host?: string;
  readonly port?: number;
  readonly apps: readonly AppOptions[];
  readonly organizations: readonly OrganizationOptions[];
  readonly hooks?: readonly HookOptions[];
  readonly habits?: Partial<Habits>;
  readonly scaleSets?: Partial<ScaleSetHabits>;
  /** Holds every request and answer of the REST part against the published OpenAPI description (read once, 13 MB). */
  readonly checkOpenApi?: boolean;
}

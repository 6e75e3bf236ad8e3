import { type Duration, milliseconds, seconds, type Timer } from '@minifleet/clock';
import type { Mac } from '../mac.ts';
import type { ExitReason, Process } from '../processes/process-table.ts';
import type { User } from '../user.ts';
import type { JobDefinition } from './job-definition.ts';

/** `system`, `gui/501`, `user/501`. */
export type DomainName = string;

/** One job in one domain. */
export interface Job {
  readonly domain: DomainName;
  readonly path: string;
  readonly definition: JobDefinition;
  readonly user: User;
  process: Process | undefined;
  /** What the last start came to; `78` when there was nothing to start. */
  lastExit: ExitReason | undefined;
  runs: number;
  startedAt: number;
  /** The next automatic start, when there is one. */
  scheduled: Timer | undefined;
  interval: Timer | undefined;
  /** Booted out, but not gone yet: the name cannot be taken again until it is (I17). */
  leaving: boolean;
}

export interface LaunchdSettings {
  /** How long a job that was booted out still holds its label after its process is gone (derived; S2 only says the pair races). */
  departure: Duration;
  /** Given to a job between SIGTERM and SIGKILL. */
  exitTimeout: Duration;
  /** Registrations of one label before Background Task Management stops respawning it (S2 names a cap, not its size). */
  registrationCap: number;
  /** Whether a daemon is held to the code it ran before (`launch-constraint.ts`). */
  pinsPrograms: boolean;
}

/** launchd's registry. Jobs live in memory and come back from their property lists at boot; the rest is on disk. */
export interface Launchd {
  readonly jobs: Map<string, Job>;
  /** Domains of people who are logged in at the screen. */
  readonly guiDomains: Map<number, { readonly user: User; readonly creator: number; readonly handle: number }>;
  /** `enable`/`disable`, by `<domain>/<label>`; survives a reboot. */
  readonly overrides: Map<string, boolean>;
  /** Background Task Management's count by label; survives a reboot. */
  readonly registrations: Map<string, number>;
  /** The code each label is held to; survives a reboot. */
  readonly pinned: Map<string, string>;
  readonly settings: LaunchdSettings;
}

/** Stands for a user the Mac does not have. */
export const NOBODY: User = { name: '', uid: -1, gid: -1, group: '', home: '/var/empty' };

const KEY = Symbol('launchd');

export const launchdOf = (mac: Mac): Launchd =>
  mac.state(KEY, () => ({
    jobs: new Map(),
    guiDomains: new Map(),
    overrides: new Map(),
    registrations: new Map(),
    pinned: new Map(),
    settings: { departure: milliseconds(300), exitTimeout: seconds(5), registrationCap: 10, pinsPrograms: false },
  }));

export const jobKey = (domain: DomainName, label: string): string => `${domain}/${label}`;

export const findJob = (mac: Mac, domain: DomainName, label: string): Job | undefined =>
  launchdOf(mac).jobs.get(jobKey(domain, label));

/** Nobody has a `gui/<uid>` without being logged in at the screen; the other two are there from boot. */
export function domainExists(mac: Mac, domain: DomainName): boolean {
  if (domain === 'system') return true;
  const [type, uid] = domain.split('/');
  return type === 'user' ? true : type === 'gui' && launchdOf(mac).guiDomains.has(Number(uid));
}

/** How launchd names a domain in its messages. */
export function domainText(domain: DomainName): string {
  const [type, uid] = domain.split('/');
  if (uid === undefined) return 'system';
  return type === 'gui' ? `user gui: ${uid}` : `user: ${uid}`;
}

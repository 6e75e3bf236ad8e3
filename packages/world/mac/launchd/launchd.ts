import { type Duration, milliseconds, seconds, type Timer } from '@minifleet/clock';
import { type Mac, root, type User } from '../mac.ts';
import { type ExitReason, type Process, processesOf } from '../processes/process-table.ts';
import { bootstrap } from './bootstrap.ts';
import type { JobDefinition } from './job-definition.ts';
import { cancelTimers, startJob } from './start-job.ts';

/** An error of launchd. launchctl prints its number and text, and exits with the number. */
export class LaunchdError extends Error {
  override readonly name = 'LaunchdError';
  readonly code: number;

  constructor(code: number) {
    super(TEXTS[code] ?? 'Unknown error');
    this.code = code;
  }
}

/** Output of `launchctl error <code>` on a Mac (derived). */
const TEXTS: Readonly<Record<number, string>> = {
  1: 'Operation not permitted',
  3: 'No such process',
  5: 'Input/output error',
  37: 'Operation already in progress',
  109: 'Invalid property list',
  113: 'Could not find specified service',
  119: 'Service is disabled',
  122: 'Path had bad ownership/permissions',
  125: 'Domain does not support specified action',
  134: 'Service cannot load in requested session',
};

/** `system`, `gui/501`, `user/501`. */
export type DomainName = string;

/** One job in one domain. */
export interface LaunchdJob {
  readonly domain: DomainName;
  readonly path: string;
  readonly definition: JobDefinition;
  readonly user: User;
  process: Process | undefined;
  /** Result of the last run; code 78 if launchd could not start the program. */
  lastExit: ExitReason | undefined;
  runs: number;
  startedAt: number;
  /** The next automatic start, if one is scheduled. */
  scheduled: Timer | undefined;
  interval: Timer | undefined;
  /** Booted out but not removed yet: the label is in use until then (I17). */
  leaving: boolean;
}

interface LaunchdSettings {
  /** Time a booted-out job keeps its label after its process has exited (derived; S2 only says that the pair races). */
  departure: Duration;
  /** Time between SIGTERM and SIGKILL. */
  exitTimeout: Duration;
  /**
   * Registrations of one label before Background Task Management stops respawning it (S2 mentions a cap, not its size).
   */
  registrationCap: number;
  /** Enables the launch constraint: a daemon is pinned to the code it ran before (`start-job.ts`). */
  pinsPrograms: boolean;
}

/**
 * State of launchd. Jobs are in memory and are loaded from their property lists at boot; the other fields survive on
 * disk.
 */
interface Launchd {
  readonly jobs: Map<string, LaunchdJob>;
  /** Domains of users who are logged in at the screen. */
  readonly guiDomains: Map<number, { readonly user: User; readonly creator: number; readonly handle: number }>;
  /** `enable`/`disable`, by `<domain>/<label>`; survives a reboot. */
  readonly overrides: Map<string, boolean>;
  /** Background Task Management's count by label; survives a reboot. */
  readonly registrations: Map<string, number>;
  /** Code hash that each label is pinned to; survives a reboot. */
  readonly pinned: Map<string, string>;
  readonly settings: LaunchdSettings;
}

/** Placeholder for a user that does not exist on the Mac. */
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

export const findJob = (mac: Mac, domain: DomainName, label: string): LaunchdJob | undefined =>
  launchdOf(mac).jobs.get(jobKey(domain, label));

/** A `gui/<uid>` domain exists only while its user is logged in at the screen; the other domains exist from boot. */
export function domainExists(mac: Mac, domain: DomainName): boolean {
  if (domain === 'system') return true;
  const [type, uid] = domain.split('/');
  return type === 'user' ? true : type === 'gui' && launchdOf(mac).guiDomains.has(Number(uid));
}

/** Name of a domain in launchd's messages. */
export function domainText(domain: DomainName): string {
  const [type, uid] = domain.split('/');
  if (uid === undefined) return 'system';
  return type === 'gui' ? `user gui: ${uid}` : `user: ${uid}`;
}

/** Loads every property list of a folder. A rejected one is skipped, as at a real boot. */
export function bootstrapFolder(mac: Mac, domain: DomainName, folder: string): void {
  if (!mac.files.exists(root, folder)) return;
  for (const name of mac.files.list(root, folder).filter(file => file.endsWith('.plist'))) {
    const path = `${folder}/${name}`;
    try {
      const job = bootstrap(mac, { domain, path, byHand: false });
      // The system's own daemons start on demand. Those without a socket are assumed to be in demand immediately.
      if (path.startsWith('/System/') && !job.definition.sockets) startJob(mac, job);
    } catch (error) {
      if (!(error instanceof LaunchdError)) throw error;
      mac.around.journal.add(`mac/${mac.options.name}`, 'launchd skipped', `${path}: ${error.message}`);
    }
  }
}

/** Handles a login at the screen: creates the user's domain and starts their agents. */
export function openGuiDomain(mac: Mac, user: User, creator: number): void {
  const { guiDomains } = launchdOf(mac);
  if (guiDomains.has(user.uid)) return;
  guiDomains.set(user.uid, { user, creator, handle: 100_000 + creator });
  mac.around.journal.add(`mac/${mac.options.name}`, 'aqua session', user.name);
  for (const folder of ['/Library/LaunchAgents', `${user.home}/Library/LaunchAgents`])
    bootstrapFolder(mac, `gui/${user.uid}`, folder);
}

/** Handles the end of a session: its jobs end immediately. */
export function closeGuiDomain(mac: Mac, uid: number): void {
  const launchd = launchdOf(mac);
  if (!launchd.guiDomains.delete(uid)) return;
  mac.around.journal.add(`mac/${mac.options.name}`, 'aqua session over', String(uid));
  for (const [key, job] of launchd.jobs) {
    if (job.domain !== `gui/${uid}`) continue;
    launchd.jobs.delete(key);
    cancelTimers(job);
    job.leaving = true;
    if (job.process) processesOf(mac).signal(job.process.pid, 'SIGTERM');
  }
}

import { FileError } from '../files/file-system.ts';
import { type Mac, m1, root, type User } from '../mac.ts';
import { processesOf } from '../processes/process-table.ts';
import { findUser } from '../unix/ownership.ts';

import { type JobDefinition, parseJobDefinition } from './job-definition.ts';
import {
  type DomainName,
  domainExists,
  findJob,
  jobKey,
  LaunchdError,
  type LaunchdJob,
  launchdOf,
  NOBODY,
} from './launchd.ts';

import { cancelTimers, startInterval, startJob } from './start-job.ts';

interface BootstrapOptions {
  readonly domain: DomainName;
  readonly path: string;
  /**
   * At boot and login, launchd loads every job it finds. Background Task Management counts only jobs that a user
   * bootstraps.
   */
  readonly byHand: boolean;
}

/** Reads a property list and adds its job to a domain. Throws a LaunchdError without any change. */
export function bootstrap(mac: Mac, { domain, path, byHand }: BootstrapOptions): LaunchdJob {
  if (!domainExists(mac, domain)) throw new LaunchdError(125);
  const definition = readDefinition(mac, domain, path);
  const existing = findJob(mac, domain, definition.label);
  // The race of S2: bootout has returned, but the job is still being removed.
  if (existing?.leaving) throw new LaunchdError(37);
  if (existing) throw new LaunchdError(5);
  if (launchdOf(mac).overrides.get(jobKey(domain, definition.label)) === false) throw new LaunchdError(119);
  if (!fitsSession(domain, definition)) throw new LaunchdError(134);
  const job = createJob(mac, { domain, path, definition });
  if (byHand) register(mac, definition.label, path);
  if (definition.runAtLoad || definition.keepAlive === true) startJob(mac, job);
  startInterval(mac, job);
  return job;
}

function readDefinition(mac: Mac, domain: DomainName, path: string): JobDefinition {
  let text: string;
  try {
    const stat = mac.files.stat(root, path);
    const owner = domain === 'system' ? [0] : [0, Number(domain.split('/')[1])];
    // A user with write access could become root (facts §3.10: root:wheel 0644).
    if (!owner.includes(stat.uid) || (stat.mode & 0o022) !== 0) throw new LaunchdError(122);
    text = mac.files.read(root, path).toString();
  } catch (error) {
    if (error instanceof FileError) throw new LaunchdError(5);
    throw error;
  }
  try {
    const definition = parseJobDefinition(text);
    for (const key of definition.unknownKeys)
      mac.around.journal.unmodelled(`mac/${mac.options.name}`, `launchd key ${key} in ${path}`);
    return definition;
  } catch {
    throw new LaunchdError(109);
  }
}

function createJob(mac: Mac, made: Pick<LaunchdJob, 'domain' | 'path' | 'definition'>): LaunchdJob {
  const { domain, definition } = made;
  const launchd = launchdOf(mac);
  const person = launchd.guiDomains.get(Number(domain.split('/')[1]))?.user ?? m1;
  const user = domain === 'system' ? userNamed(definition.userName) : person;
  const fresh = { process: undefined, lastExit: undefined, scheduled: undefined, interval: undefined };
  const job: LaunchdJob = { ...made, user, ...fresh, runs: 0, startedAt: 0, leaving: false };
  launchd.jobs.set(jobKey(domain, definition.label), job);
  mac.around.journal.add(`mac/${mac.options.name}`, 'launchd bootstrap', jobKey(domain, definition.label));
  return job;
}

/** An unknown user name gives a job that cannot be started. */
const userNamed = (name: string | undefined): User => findUser(name ?? root.name) ?? NOBODY;

const fitsSession = (domain: DomainName, { sessionTypes }: JobDefinition): boolean =>
  !domain.startsWith('gui/') || sessionTypes.length === 0 || sessionTypes.includes('Aqua');

/** Each bootstrap of a job outside the system's own folder is a registration (S2, facts §3.18). */
function register(mac: Mac, label: string, path: string): void {
  if (path.startsWith('/System/')) return;
  const { registrations, pinned } = launchdOf(mac);
  pinned.delete(label);
  registrations.set(label, (registrations.get(label) ?? 0) + 1);
  mac.around.journal.add(
    `mac/${mac.options.name}`,
    'background task registered',
    `${label} ${registrations.get(label)}`,
  );
}

/**
 * Removes a job from its domain and returns immediately. The process gets SIGTERM and later SIGKILL, and the label
 * becomes free only some time after that.
 */
export function bootOut(mac: Mac, job: LaunchdJob): void {
  const launchd = launchdOf(mac);
  const { clock, journal } = mac.around;
  const key = jobKey(job.domain, job.definition.label);
  cancelTimers(job);
  job.leaving = true;
  journal.add(`mac/${mac.options.name}`, 'launchd bootout', key);
  const forget = (): void => {
    clock.after(launchd.settings.departure, () => {
      if (launchd.jobs.get(key) === job) launchd.jobs.delete(key);
    });
  };
  const { process } = job;
  if (!process) {
    forget();
    return;
  }
  const kill = clock.after(launchd.settings.exitTimeout, () => processesOf(mac).signal(process.pid, 'SIGKILL'));
  void process.exited.then(() => {
    kill.cancel();
    forget();
  });
  processesOf(mac).signal(process.pid, 'SIGTERM');
}

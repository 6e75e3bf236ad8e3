import { FileError } from '../files/file-system.ts';
import type { Run } from '../mac.ts';
import { processesOf, type Signal } from '../processes/process-table.ts';
import { findExecutable, runProgram } from '../processes/run-program.ts';
import { bootOut, bootstrap } from './bootstrap.ts';
import { parseJobDefinition } from './job-definition.ts';
import {
  closeGuiDomain,
  type DomainName,
  domainExists,
  domainText,
  findJob,
  jobKey,
  LaunchdError,
  type LaunchdJob,
  launchdOf,
} from './launchd.ts';
import { startJob } from './start-job.ts';

/** Line launchctl adds for every user but root. */
const HINT = 'Try re-running the command as root for richer errors.\n';

/** `bootstrap <domain> <plist>…` */
export function bootstrapCommand(run: Run, [name = '', ...paths]: readonly string[]): number {
  const target = parseTarget(name);
  if (!target || paths.length === 0) return usage(run, 'bootstrap <domain-target> [service-path, service-path2, ...]');
  if (!mayControl(run, target.domain)) return failed(run, 'Bootstrap failed', 5);
  for (const path of paths) {
    try {
      bootstrap(run.mac, { domain: target.domain, path: absolute(run, path), byHand: true });
    } catch (error) {
      if (!(error instanceof LaunchdError)) throw error;
      if (error.code === 122) run.err(`${path}: ${error.message}\n`);
      return failed(run, 'Bootstrap failed', error.code);
    }
  }
  return 0;
}

/** `bootout <domain>/<label>` or `bootout <domain> <plist>`. */
export function bootOutCommand(run: Run, [name = '', path]: readonly string[]): number {
  const target = parseTarget(name);
  if (!target) return usage(run, 'bootout <domain-target> [service-path1, ...] | <service-target>');
  if (!mayControl(run, target.domain)) return failed(run, 'Boot-out failed', 1);
  if (!domainExists(run.mac, target.domain)) return failed(run, 'Boot-out failed', 125);
  if (target.label === undefined && path === undefined) return bootOutDomain(run, target.domain);
  const label = target.label ?? (path === undefined ? undefined : labelIn(run, absolute(run, path)));
  const job = label === undefined ? undefined : findJob(run.mac, target.domain, label);
  if (!job) return failed(run, 'Boot-out failed', 3);
  // Derived: a second bootout while the first is in progress.
  if (job.leaving) return failed(run, 'Boot-out failed', 37);
  bootOut(run.mac, job);
  return 0;
}

/** Boots out a whole domain: the user at the screen is logged out. */
function bootOutDomain(run: Run, domain: DomainName): number {
  if (!domain.startsWith('gui/')) {
    run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, `launchctl bootout ${domain}`);
    return failed(run, 'Boot-out failed', 1);
  }
  closeGuiDomain(run.mac, Number(domain.split('/')[1]));
  return 0;
}

/** `asuser <uid> <command>`: runs in that user's session, if there is one. The user stays the caller. */
export async function asUser(run: Run, [uid = '', ...argv]: readonly string[]): Promise<number> {
  if (argv.length === 0) return usage(run, 'asuser <UID> <command> [arguments...]');
  if (run.user.uid !== 0) return failed(run, 'Could not switch to audit session', 1);
  const session = launchdOf(run.mac).guiDomains.has(Number(uid)) ? 'aqua' : run.session;
  const found = findExecutable(run.mac, { ...run, argv });
  if ('program' in found) {
    const stdio = {
      out: { write: (text: string | Buffer) => run.out(text) },
      err: { write: (text: string | Buffer) => run.err(text) },
    };
    return runProgram(run.mac, found, { ...run, session, ...stdio });
  }
  if ('killed' in found) return 137;
  run.err(`${argv[0]}: No such file or directory\n`);
  return 1;
}

/** `kickstart [-k] [-p] <service>`: starts the job regardless of Background Task Management. */
export async function kickstart(run: Run, words: readonly string[]): Promise<number> {
  const flags = words.filter(word => word.startsWith('-')).join('');
  const target = parseTarget(words.find(word => !word.startsWith('-')) ?? '');
  if (!target?.label) return usage(run, 'kickstart [-k] [-p] <service-target>');
  if (!mayControl(run, target.domain)) return failed(run, `Could not kickstart service "${target.label}"`, 1);
  if (!domainExists(run.mac, target.domain)) return failed(run, `Could not kickstart service "${target.label}"`, 125);
  const job = jobOrSay(run, target);
  if (typeof job === 'number') return job;
  if (!doesNothing(run, job)) {
    if (flags.includes('k')) await killed(run, job);
    startJob(run.mac, job);
  }
  if (flags.includes('p') && job.process) run.out(`service spawned with pid: ${job.process.pid}\n`);
  return 0;
}

/** I18: kickstart reports success and the old process stays. Only an injected fault causes this. */
function doesNothing(run: Run, job: LaunchdJob): boolean {
  const place = `mac/${run.mac.options.name}`;
  const fault = run.mac.around.faults.strike({ place, kind: 'process', detail: `kickstart ${job.definition.label}` });
  return fault?.type === 'drop';
}

async function killed(run: Run, job: LaunchdJob): Promise<void> {
  const { process } = job;
  if (!process) return;
  // Wait for the exit handler first; otherwise KeepAlive would start the job a second time.
  processesOf(run.mac).signal(process.pid, 'SIGKILL');
  await process.exited;
  await Promise.resolve();
}

/** `kill <signal> <service>` */
export function killCommand(run: Run, [name = '', service = '']: readonly string[]): number {
  const target = parseTarget(service);
  if (!target?.label) return usage(run, 'kill <signal-name|signal-number> <service-target>');
  const job = jobOrSay(run, target);
  if (typeof job === 'number') return job;
  if (!mayControl(run, target.domain)) return failed(run, `Could not signal service`, 1);
  const signal = signalNamed(name);
  if (!signal) return usage(run, 'kill <signal-name|signal-number> <service-target>');
  if (!job.process) return failed(run, 'Could not signal service', 3);
  processesOf(run.mac).signal(job.process.pid, signal);
  return 0;
}

/** `enable` and `disable` only set a flag: a disabled job keeps running until it is booted out. */
export function enableCommand(run: Run, [service = '']: readonly string[], enabled: boolean): number {
  const target = parseTarget(service);
  if (!target?.label) return usage(run, `${enabled ? 'enable' : 'disable'} <service-target>`);
  if (!mayControl(run, target.domain)) return failed(run, 'Could not set service state', 1);
  launchdOf(run.mac).overrides.set(overrideKey(target, target.label), enabled);
  return 0;
}

const overrideKey = (target: LaunchctlTarget, label: string): string => jobKey(target.domain, label);

const NUMBERS: Readonly<Record<string, Signal>> = {
  '1': 'SIGHUP',
  '2': 'SIGINT',
  '3': 'SIGQUIT',
  '9': 'SIGKILL',
  '15': 'SIGTERM',
};
const NAMES: readonly Signal[] = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGABRT', 'SIGKILL', 'SIGUSR1', 'SIGUSR2', 'SIGTERM'];

const signalNamed = (text: string): Signal | undefined =>
  NUMBERS[text] ?? NAMES.find(name => name === text.toUpperCase() || name === `SIG${text.toUpperCase()}`);

function labelIn(run: Run, path: string): string | undefined {
  try {
    return parseJobDefinition(run.mac.files.read(run.user, path).toString()).label;
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw new LaunchdError(109);
  }
}

const absolute = (run: Run, path: string): string => (path.startsWith('/') ? path : `${run.directory}/${path}`);

function failed(run: Run, what: string, code: number): number {
  run.err(`${what}: ${code}: ${new LaunchdError(code).message}\n`);
  if (code === 5 && run.user.uid !== 0) run.err(HINT);
  return code;
}

function usage(run: Run, text: string): number {
  run.err(`Usage: launchctl ${text}\n`);
  return 64;
}

/** `system/label`, `gui/501/label`, or only a domain. */
interface LaunchctlTarget {
  readonly domain: DomainName;
  readonly label?: string;
}

/** Undefined if the text names no domain. */
export function parseTarget(text: string): LaunchctlTarget | undefined {
  const parts = text.split('/');
  if (parts[0] === 'system') return target('system', parts.slice(1));
  if ((parts[0] === 'gui' || parts[0] === 'user') && /^\d+$/.test(parts[1] ?? ''))
    return target(`${parts[0]}/${parts[1]}`, parts.slice(2));
  return undefined;
}

function target(domain: DomainName, rest: readonly string[]): LaunchctlTarget {
  const label = rest.join('/');
  return label === '' ? { domain } : { domain, label };
}

/** Returns the job, or prints the error message and returns 113. */
export function jobOrSay(run: Run, { domain, label = '' }: LaunchctlTarget): LaunchdJob | number {
  const job = findJob(run.mac, domain, label);
  if (job) return job;
  run.err(`Could not find service "${label}" in domain for ${domainText(domain)}\n`);
  return 113;
}

/** Root may control every domain; a user only their own domains. */
const mayControl = (run: Run, domain: DomainName): boolean =>
  run.user.uid === 0 || (domain !== 'system' && domain.split('/')[1] === String(run.user.uid));

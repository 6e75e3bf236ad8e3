import type { FileInfo, HostView } from '../host.ts';
import { type PrintedJob, parsePrintedJob } from './printed-job.ts';
import { renderPropertyList } from './property-list.ts';

/** A job of launchd's system domain, as far as we use its keys. */
export interface LaunchDaemon {
  readonly label: string;
  /** argv; the first is the program. */
  readonly arguments: readonly string[];
  /** Runs as root unless given. */
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Start it again whenever it ends, but not sooner than `throttleSeconds` after its last start. */
  readonly keepAlive?: boolean;
  readonly throttleSeconds?: number;
  readonly startIntervalSeconds?: number;
  /** Takes standard output and standard error. */
  readonly logFile?: string;
}

export const propertyListPath = (label: string): string => `/Library/LaunchDaemons/${label}.plist`;

/** Where it lies: anyone else who could write it could become root, and launchd refuses it then (122). */
const propertyListPlace = (label: string) =>
  ({ path: propertyListPath(label), mode: 0o644, owner: 'root:wheel' }) as const;

export const renderDaemon = (daemon: LaunchDaemon): string =>
  renderPropertyList({
    Label: daemon.label,
    ProgramArguments: daemon.arguments,
    UserName: daemon.user,
    EnvironmentVariables: daemon.environment,
    RunAtLoad: true,
    KeepAlive: daemon.keepAlive,
    ThrottleInterval: daemon.throttleSeconds,
    StartInterval: daemon.startIntervalSeconds,
    StandardOutPath: daemon.logFile,
    StandardErrorPath: daemon.logFile,
  });

/** What a host has of a daemon: on disk, and in launchd's memory. The two need not agree. */
export interface DaemonState {
  readonly propertyList: string | undefined;
  readonly place: FileInfo | undefined;
  /** Undefined when launchd does not know it. */
  readonly job: PrintedJob | undefined;
  /** Switched off by `launchctl disable`: it would not come back at the next boot. */
  readonly disabled: boolean;
}

export async function readDaemon(host: HostView, label: string): Promise<DaemonState> {
  const path = propertyListPath(label);
  const [propertyList, place, printed, switches] = await Promise.all([
    host.readText(path),
    host.fileInfo(path),
    host.query(['/bin/launchctl', 'print', `system/${label}`], { root: true }),
    host.query(['/bin/launchctl', 'print-disabled', 'system'], { root: true }),
  ]);
  return { propertyList, place, job: parsePrintedJob(printed.stdout), disabled: isDisabled(switches.stdout, label) };
}

// `disabled` since macOS 13, `true` before.
const isDisabled = (switches: string, label: string): boolean =>
  switches.split('\n').some(line => [`"${label}" => disabled`, `"${label}" => true`].includes(line.trim()));

/** What differs between a daemon as it is and as it is wanted, whether it runs or not. */
export function daemonDifferences({ propertyList, place, job, disabled }: DaemonState, daemon: LaunchDaemon): string[] {
  const path = propertyListPath(daemon.label);
  const differences: string[] = [];
  if (propertyList === undefined) differences.push(`${path} is missing`);
  else if (propertyList !== renderDaemon(daemon)) differences.push(`${path} is not the expected file`);
  else if (place && (place.uid !== 0 || place.gid !== 0 || place.mode !== propertyListPlace(daemon.label).mode))
    differences.push(`${path} is writable by other users than root, expected root:wheel 0644`);
  if (job) differences.push(...loadedDifferences(job, daemon));
  else differences.push(`launchd has no job ${daemon.label}`);
  if (disabled) differences.push(`${daemon.label} is disabled and would not start at the next boot`);
  return differences;
}

/** Whether launchd has to read the property list: it does so at `bootstrap` only, never when a job is restarted. */
export const needsReload = ({ propertyList, job }: DaemonState, daemon: LaunchDaemon): boolean =>
  propertyList !== renderDaemon(daemon) || job === undefined || loadedDifferences(job, daemon).length > 0;

/**
 * The property list was changed and nobody told launchd: it still holds what it read before. Only what `print` shows is
 * compared: a release that prints less must not make us reload for ever.
 */
function loadedDifferences(job: PrintedJob, daemon: LaunchDaemon): string[] {
  const { label, user = 'root', logFile } = daemon;
  const differences = argumentDifferences(job, daemon);
  const names = Object.keys(daemon.environment ?? {});
  const other = names.filter(name => (job.environment[name] ?? '') !== daemon.environment?.[name]);
  // Names only: an environment may hold what must not be shown.
  if (other.length > 0 && Object.keys(job.environment).length > 0)
    differences.push(`launchd runs ${label} with another environment (${other.join(', ')})`);
  if (job.user !== undefined && job.user !== user)
    differences.push(`launchd runs ${label} as ${job.user}, expected ${user}`);
  if (job.logFile !== undefined && job.logFile !== logFile)
    differences.push(`${label} logs to ${job.logFile}, expected ${logFile ?? 'nowhere'}`);
  return differences;
}

function argumentDifferences(job: PrintedJob, { label, arguments: wanted }: LaunchDaemon): string[] {
  if (job.arguments.length === 0) return [];
  const more = job.arguments.filter(argument => !wanted.includes(argument));
  const less = wanted.filter(argument => !job.arguments.includes(argument));
  if (more.length + less.length === 0)
    return job.arguments.join('\n') === wanted.join('\n')
      ? []
      : [`launchd runs ${label} with its arguments in another order`];
  return [
    ...(more.length > 0 ? [`launchd runs ${label} with ${more.join(' ')}, which is not expected`] : []),
    ...(less.length > 0 ? [`launchd runs ${label} without ${less.join(' ')}`] : []),
  ];
}

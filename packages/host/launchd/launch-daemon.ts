import type { FileInfo, HostView } from '../host.ts';
import { type PrintedJob, parsePrintedJob } from './printed-job.ts';
import { renderPropertyList } from './property-list.ts';

/** Job of launchd's system domain, with the keys that Minifleet uses. */
export interface LaunchDaemon {
  readonly label: string;
  /** argv; the first is the program. */
  readonly arguments: readonly string[];
  /** Default: root. */
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Restarts the job whenever it exits, at the earliest `throttleSeconds` after its last start. */
  readonly keepAlive?: boolean;
  readonly throttleSeconds?: number;
  readonly startIntervalSeconds?: number;
  /** Receives standard output and standard error. */
  readonly logFile?: string;
}

export const propertyListPath = (label: string): string => `/Library/LaunchDaemons/${label}.plist`;

/** Owner and mode of the property list: any other writer could become root, so launchd refuses such a file (122). */
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

/** State of a daemon on disk and in launchd's memory. The two may differ. */
export interface DaemonState {
  readonly propertyList: string | undefined;
  readonly place: FileInfo | undefined;
  /** Undefined if launchd has no such job. */
  readonly job: PrintedJob | undefined;
  /** Disabled with `launchctl disable`: it would not start at the next boot. */
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

/** Differences between the actual and the desired daemon, whether it runs or not. */
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

/** True if launchd must read the property list again. It does so only at `bootstrap`, not when a job restarts. */
export const needsReload = ({ propertyList, job }: DaemonState, daemon: LaunchDaemon): boolean =>
  propertyList !== renderDaemon(daemon) || job === undefined || loadedDifferences(job, daemon).length > 0;

/**
 * Differences between the property list and what launchd has loaded. Compares only what `print` shows: a macOS release
 * that prints less must not cause endless reloads.
 */
function loadedDifferences(job: PrintedJob, daemon: LaunchDaemon): string[] {
  const { label, user = 'root', logFile } = daemon;
  const differences = argumentDifferences(job, daemon);
  const names = Object.keys(daemon.environment ?? {});
  const other = names.filter(name => (job.environment[name] ?? '') !== daemon.environment?.[name]);
  // Names only: values in an environment may be secret.
  if (other.length > 0 && Object.keys(job.environment).length > 0)
    differences.push(`launchd runs ${label} with another environment (${other.join(', ')})`);
  if (job.user !== undefined && job.user !== user)
    differences.push(`launchd runs ${label} as ${job.user}, expected ${user}`);
  if (job.logFile !== undefined && job.logFile !== logFile)
    differences.push(`${label} logs to ${job.logFile}, expected ${logFile ?? 'no log file'}`);
  return differences;
}

function argumentDifferences(job: PrintedJob, { label, arguments: desired }: LaunchDaemon): string[] {
  if (job.arguments.length === 0) return [];
  const more = job.arguments.filter(argument => !desired.includes(argument));
  const less = desired.filter(argument => !job.arguments.includes(argument));
  if (more.length + less.length === 0)
    return job.arguments.join('\n') === desired.join('\n')
      ? []
      : [`launchd runs ${label} with its arguments in another order`];
  return [
    ...(more.length > 0 ? [`launchd runs ${label} with ${more.join(' ')}, which is not expected`] : []),
    ...(less.length > 0 ? [`launchd runs ${label} without ${less.join(' ')}`] : []),
  ];
}

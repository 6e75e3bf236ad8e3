import type { DaemonState } from './daemon-state.ts';
import { type LaunchDaemon, propertyListPath, propertyListPlace, renderDaemon } from './launch-daemon.ts';
import type { PrintedJob } from './printed-job.ts';

/** What differs between a daemon as it is and as it is wanted, whether it runs or not. */
export function daemonDifferences({ propertyList, place, job, disabled }: DaemonState, daemon: LaunchDaemon): string[] {
  const path = propertyListPath(daemon.label);
  const differences: string[] = [];
  if (propertyList === undefined) differences.push(`${path} is missing`);
  else if (propertyList !== renderDaemon(daemon)) differences.push(`${path} is not the wanted one`);
  else if (place && (place.uid !== 0 || place.gid !== 0 || place.mode !== propertyListPlace(daemon.label).mode))
    differences.push(`${path} can be changed by others than root, wanted root:wheel 0644`);
  if (job) differences.push(...heldDifferences(job, daemon));
  else differences.push(`launchd does not know ${daemon.label}`);
  if (disabled) differences.push(`${daemon.label} is disabled: it would not start at the next boot`);
  return differences;
}

/** Whether launchd has to read the property list: it does so at `bootstrap` only, never when a job is restarted. */
export const needsReload = ({ propertyList, job }: DaemonState, daemon: LaunchDaemon): boolean =>
  propertyList !== renderDaemon(daemon) || job === undefined || heldDifferences(job, daemon).length > 0;

/**
 * The property list was changed and nobody told launchd: it still holds what it read before. Only what `print` shows is
 * compared: a release that prints less must not make us reload for ever.
 */
function heldDifferences(job: PrintedJob, daemon: LaunchDaemon): string[] {
  const { label, user = 'root', logFile } = daemon;
  const differences = argumentDifferences(job, daemon);
  const names = Object.keys(daemon.environment ?? {});
  const other = names.filter(name => (job.environment[name] ?? '') !== daemon.environment?.[name]);
  // Names only: an environment may hold what must not be shown.
  if (other.length > 0 && Object.keys(job.environment).length > 0)
    differences.push(`launchd runs ${label} with another environment (${other.join(', ')})`);
  if (job.user !== undefined && job.user !== user)
    differences.push(`launchd runs ${label} as ${job.user}, wanted ${user}`);
  if (job.logFile !== undefined && job.logFile !== logFile)
    differences.push(`${label} logs to ${job.logFile}, wanted ${logFile ?? 'nowhere'}`);
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
    ...(more.length > 0 ? [`launchd runs ${label} with ${more.join(' ')}, which is not wanted`] : []),
    ...(less.length > 0 ? [`launchd runs ${label} without ${less.join(' ')}`] : []),
  ];
}

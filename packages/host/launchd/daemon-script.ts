import { createHash } from 'node:crypto';
import { minutes } from '@minifleet/clock';
import { type CataloguedError, defineError } from '@minifleet/errors';
import type { Host, HostCommandResult } from '../host.ts';
import { loadScript } from '../load-script.ts';
import { outputOf, scriptFailure } from '../script-failure.ts';
import { type LaunchDaemon, propertyListPath, renderDaemon } from './launch-daemon.ts';

export const HOST_JOB_NOT_GONE = defineError('HOST_JOB_NOT_GONE', {
  retry: 'backoff',
  reason: 'HostJobNotGone',
  text: '{address}: launchd still holds {label} 30s after bootout; check `sudo launchctl print system/{label}`, then retry',
});

export const HOST_JOB_REFUSED = defineError('HOST_JOB_REFUSED', {
  retry: 'backoff',
  reason: 'HostJobRefused',
  text: '{address}: launchd rejected {label} ({why}); retry, the job is bootstrapped again',
});

interface DaemonScript {
  /** One of `scripts/*.sh`; its first argument is the job's label. */
  readonly name: string;
  readonly label: string;
  readonly args: readonly string[];
  readonly stdin?: string;
}

/** Runs a script as root with the functions of `launchd-functions.sh` in front of it. */
export function runDaemonScript(
  host: Host,
  { name, label, args, stdin = '' }: DaemonScript,
): Promise<HostCommandResult> {
  const text = `${loadScript('launchd-functions')}\n${loadScript(name)}`;
  // Long enough for a job that takes its full 30 s to exit.
  return host.run(['/bin/sh', '-c', text, name, label, ...args], { root: true, stdin, timeout: minutes(2) });
}

/** Makes launchd run the daemon as given, whatever it runs now. */
export async function loadDaemon(host: Host, daemon: LaunchDaemon): Promise<void> {
  const text = renderDaemon(daemon);
  const script = { name: 'launchd-load', label: daemon.label, args: [sha256(text)], stdin: text };
  const ran = await runDaemonScript(host, script);
  if (ran.exitCode !== 0) throw daemonFailure(host, script, ran);
}

/** Removes the job, its property list and the given paths. */
export async function removeDaemon(host: Host, label: string, paths: readonly string[]): Promise<void> {
  const script = { name: 'launchd-remove', label, args: paths };
  const ran = await runDaemonScript(host, script);
  if (ran.exitCode !== 0) throw daemonFailure(host, script, ran);
}

const NOT_GONE = 82;
const REFUSED = 83;

/** Maps the exit code of a launchd script to an error. */
export function daemonFailure(
  host: Pick<Host, 'address'>,
  { name, label }: Pick<DaemonScript, 'name' | 'label'>,
  ran: HostCommandResult,
): CataloguedError {
  const { address } = host;
  if (ran.exitCode === NOT_GONE) return HOST_JOB_NOT_GONE({ label, address });
  if (ran.exitCode === REFUSED)
    return HOST_JOB_REFUSED({ label, address, why: outputOf(ran).split('\n').at(-1) ?? '' });
  return scriptFailure(host, { command: `${name} ${label}`, path: propertyListPath(label) }, ran);
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

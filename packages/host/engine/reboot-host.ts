import { formatDuration, minutes, pause, seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import {
  HOST_COMMAND_FAILED,
  HOST_COMMAND_TIMED_OUT,
  HOST_CONNECTION_LOST,
  HOST_DID_NOT_COME_BACK,
  HOST_UNREACHABLE,
} from '../errors.ts';
import { readFileVault } from '../file-vault.ts';
import type { Host, HostView } from '../host.ts';

const POLL_INTERVAL = seconds(5);
const ANSWER_WITHIN = seconds(10);
const BACK_WITHIN = minutes(10);

/** State of FileVault and boot time, read in one round trip. */
export async function readBeforeReboot(
  host: HostView,
): Promise<{ readonly fileVault: string; readonly booted: string }> {
  const [fileVault, booted] = await Promise.all([readFileVault(host), bootTime(host)]);
  return { fileVault, booted };
}

/** Reboots the host and returns when it answers with another boot time than before. */
export async function rebootHost(host: Host, before: string, signal: AbortSignal): Promise<void> {
  const { address, clock } = host;
  let heard = await sendReboot(host, signal);
  const deadline = clock.now() + BACK_WITHIN;
  for (;;) {
    await pause(clock, POLL_INTERVAL, signal);
    signal.throwIfAborted();
    const now = await bootTime(host).catch(ignoreSilence);
    if (now !== undefined && now !== before) return;
    // The host is still up and may not have received the command. A second one does no harm.
    if (now !== undefined && !heard) heard = await sendReboot(host, signal);
    if (clock.now() < deadline) continue;
    const why = now === undefined ? 'no answer' : 'it did not shut down';
    throw HOST_DID_NOT_COME_BACK({ address, why, after: formatDuration(BACK_WITHIN) });
  }
}

/** True if the host confirmed the command. The reboot closes the connection before or after the answer. */
const sendReboot = async (host: Host, signal: AbortSignal): Promise<boolean> =>
  (await host.must(['/sbin/shutdown', '-r', 'now'], { root: true, signal }).catch(ignoreSilence)) !== undefined;

/**
 * Boot time as the host prints it, compared as text, because its clock may be years off. The kernel moves it when the
 * clock is set (xnu, clock_set_calendar_microtime): at worst the wait ends too early, and the next run finds the reboot
 * still pending.
 */
async function bootTime(host: HostView): Promise<string> {
  const ran = await host.query(['/usr/sbin/sysctl', '-n', 'kern.boottime'], { timeout: ANSWER_WITHIN });
  if (ran.exitCode === 0) return ran.stdout;
  const status = `exit code ${ran.exitCode}`;
  throw HOST_COMMAND_FAILED({ command: 'sysctl', address: host.address, status, output: ran.stderr.trim() });
}

const EXPECTED_ERRORS: ReadonlySet<string> = new Set(
  [HOST_UNREACHABLE, HOST_CONNECTION_LOST, HOST_COMMAND_TIMED_OUT].map(({ code }) => code),
);

/** Ignores the errors that are expected while a host goes down or comes up. */
const ignoreSilence = (error: unknown): undefined => {
  if (error instanceof CataloguedError && EXPECTED_ERRORS.has(error.code)) return undefined;
  throw error;
};

import { formatDuration, minutes, pause, seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import {
  HOST_COMMAND_FAILED,
  HOST_COMMAND_TIMED_OUT,
  HOST_CONNECTION_LOST,
  HOST_DID_NOT_COME_BACK,
  HOST_UNREACHABLE,
} from '../errors.ts';
import type { Host, HostView } from '../host.ts';

const ASK_EVERY = seconds(5);
const ANSWER_WITHIN = seconds(10);
const BACK_WITHIN = minutes(10);

/** Restarts the host and returns when it is back: when it answers and says that it booted at another time than before. */
export async function rebootHost(host: Host, signal: AbortSignal): Promise<void> {
  const { address, clock } = host;
  const before = await bootTime(host);
  let heard = await sendReboot(host, signal);
  const deadline = clock.now() + BACK_WITHIN;
  for (;;) {
    await pause(clock, ASK_EVERY, signal);
    signal.throwIfAborted();
    const now = await bootTime(host).catch(ignoreSilence);
    if (now !== undefined && now !== before) return;
    // Still up, and perhaps it never heard: told twice it goes down once.
    if (now !== undefined && !heard) heard = await sendReboot(host, signal);
    if (clock.now() < deadline) continue;
    const why = now === undefined ? 'no answer' : 'it never went down';
    throw HOST_DID_NOT_COME_BACK({ address, why, after: formatDuration(BACK_WITHIN) });
  }
}

/** Says whether the host heard; it takes the connection with it, sooner or later than it answers. */
const sendReboot = async (host: Host, signal: AbortSignal): Promise<boolean> =>
  (await host.must(['/sbin/shutdown', '-r', 'now'], { root: true, signal }).catch(ignoreSilence)) !== undefined;

/**
 * As the host writes it, compared as text: its clock may be years off ours. The kernel moves it when the clock is set
 * (xnu, clock_set_calendar_microtime): at worst we look too early then, and the next run finds the reboot still due.
 */
async function bootTime(host: HostView): Promise<string> {
  const ran = await host.query(['/usr/sbin/sysctl', '-n', 'kern.boottime'], { timeout: ANSWER_WITHIN });
  if (ran.exitCode === 0) return ran.stdout;
  const status = `exit code ${ran.exitCode}`;
  throw HOST_COMMAND_FAILED({ command: 'sysctl', address: host.address, status, output: ran.stderr.trim() });
}

const SILENT: ReadonlySet<string> = new Set(
  [HOST_UNREACHABLE, HOST_CONNECTION_LOST, HOST_COMMAND_TIMED_OUT].map(({ code }) => code),
);

/** What a host that is going down or coming up is expected to do. */
const ignoreSilence = (error: unknown): undefined => {
  if (error instanceof CataloguedError && SILENT.has(error.code)) return undefined;
  throw error;
};

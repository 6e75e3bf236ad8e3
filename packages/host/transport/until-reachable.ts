import { type Clock, type Duration, formatDuration, milliseconds, pause, seconds } from '@minifleet/clock';
import { HOST_COMMAND_TIMED_OUT, HOST_IDENTITY_CHANGED, HOST_KEY_REFUSED, HOST_STAYED_UNREACHABLE } from '../errors.ts';

import type { CommandOutcome, HostTransport } from './transport.ts';

interface UntilReachableOptions {
  /** How long to try in all. */
  readonly within: Duration;
  /** How long to wait between two tries. */
  readonly every: Duration;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

// A Mac that is booting takes connections before it runs commands.
const ONE_TRY = seconds(30);
// Time heals neither: waiting would only hide them behind "not available after 5 minutes".
const FINAL: readonly string[] = [HOST_KEY_REFUSED.code, HOST_IDENTITY_CHANGED.code];

/** Waits for a host that is being delivered, or reboots, until it runs a command. Throws why it does not, the reason included. */
export async function untilReachable(transport: HostTransport, options: UntilReachableOptions): Promise<void> {
  const { within, every, clock, signal } = options;
  const end = clock.now() + within;
  for (;;) {
    const left = milliseconds(Math.max(1, end - clock.now()));
    const deadline = left < ONE_TRY ? left : ONE_TRY;
    const outcome = await transport.run({ argv: ['/usr/bin/true'], deadline, signal });
    if (outcome.kind === 'ran') return;
    const error = errorOf(outcome, transport.address);
    if (FINAL.includes(error.code)) throw error;
    if (clock.now() + every >= end) throw stayed(transport.address, within, error);
    await pause(clock, every, signal);
    signal?.throwIfAborted();
  }
}

const errorOf = (outcome: Exclude<CommandOutcome, { kind: 'ran' }>, address: string) =>
  outcome.kind === 'unreached'
    ? outcome.error
    : HOST_COMMAND_TIMED_OUT({ command: 'a first command', address, after: formatDuration(outcome.after) });

const stayed = (address: string, within: Duration, last: Error) =>
  HOST_STAYED_UNREACHABLE({ address, within: formatDuration(within), last: last.message }, { cause: last });

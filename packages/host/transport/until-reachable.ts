import { type Clock, type Duration, formatDuration, milliseconds, pause, seconds } from '@minifleet/clock';
import { HOST_COMMAND_TIMED_OUT, HOST_IDENTITY_CHANGED, HOST_KEY_REFUSED, HOST_STAYED_UNREACHABLE } from '../errors.ts';

import type { CommandOutcome, HostTransport } from './transport.ts';

interface UntilReachableOptions {
  /** Total time to wait. */
  readonly within: Duration;
  /** Delay between two attempts. */
  readonly every: Duration;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

// A booting Mac accepts connections before it runs commands.
const ATTEMPT_TIMEOUT = seconds(30);
// Waiting fixes neither of them: it would only hide them behind a timeout.
const PERMANENT_ERRORS: readonly string[] = [HOST_KEY_REFUSED.code, HOST_IDENTITY_CHANGED.code];

/** Waits until a host that is being delivered or rebooted runs a command. Throws the reason if it does not. */
export async function untilReachable(transport: HostTransport, options: UntilReachableOptions): Promise<void> {
  const { within, every, clock, signal } = options;
  const end = clock.now() + within;
  for (;;) {
    const left = milliseconds(Math.max(1, end - clock.now()));
    const deadline = left < ATTEMPT_TIMEOUT ? left : ATTEMPT_TIMEOUT;
    const outcome = await transport.run({ argv: ['/usr/bin/true'], deadline, signal });
    if (outcome.kind === 'ran') return;
    const error = errorOf(outcome, transport.address);
    if (PERMANENT_ERRORS.includes(error.code)) throw error;
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

import type { Duplex } from 'node:stream';
import { type Clock, type Duration, formatDuration, minutes, seconds } from '@minifleet/clock';
import { messageOf } from '@minifleet/kube';
import type { GuestScreen } from '../../guests/guest.ts';
import { dial } from '../port-forward/dial.ts';
import type { GuestConnection } from '../port-forward/dial-guest.ts';
import { SCREEN_REFUSED } from './errors.ts';
import { logInToScreen } from './log-in-to-screen.ts';
import { welcomeViewer } from './welcome-viewer.ts';

const LOG_IN_WITHIN = seconds(5);
/** A person may be asked for a password that nobody needs. */
const GREET_WITHIN = minutes(2);

/** The guest's screen, with the password given: the viewer is let in without one. */
export async function dialScreen(screen: GuestScreen, clock: Clock): Promise<GuestConnection> {
  const io = await dial(screen, clock);
  io.on('error', () => undefined);
  try {
    await endedAfter({ io, clock, within: LOG_IN_WITHIN }, () => logInToScreen(io, screen.password));
  } catch (error) {
    io.destroy();
    throw SCREEN_REFUSED({ place: `${screen.host}:${screen.port}`, why: messageOf(error) }, { cause: error });
  }
  return {
    io,
    greet: viewer => endedAfter({ io: viewer, clock, within: GREET_WITHIN }, () => welcomeViewer(viewer)),
    failure: async () => undefined,
  };
}

interface Deadline {
  readonly io: Duplex;
  readonly clock: Clock;
  readonly within: Duration;
}

async function endedAfter({ io, clock, within }: Deadline, work: () => Promise<void>): Promise<void> {
  const timer = clock.after(within, () => io.destroy(new Error(`no answer within ${formatDuration(within)}`)));
  try {
    await work();
  } finally {
    timer.cancel();
  }
}

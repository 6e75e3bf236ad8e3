import type { Duplex } from 'node:stream';
import { type Clock, type Duration, formatDuration, minutes, seconds } from '@minifleet/clock';
import { messageOf } from '@minifleet/kube';
import type { GuestScreen } from '../../guests/guest.ts';
import { dial, type GuestConnection } from '../guest-connection.ts';

import { SCREEN_REFUSED, VIEWER_NOT_UNDERSTOOD } from './errors.ts';
import { logInToScreen } from './log-in-to-screen.ts';
import {
  CHALLENGE_BYTES,
  dialectOf,
  NONE,
  readBytes,
  uint32,
  VERSION_BYTES,
  VNC_PASSWORD,
  versionLine,
} from './rfb.ts';

/** The server's side of RFB, up to where the viewer may look: whoever may forward the Pod's ports needs no password. */

const WELCOME = uint32(0);

async function welcomeViewer(io: Duplex): Promise<void> {
  io.write(versionLine(8));
  const dialect = dialectOf(await readBytes(io, VERSION_BYTES));
  if (dialect === undefined) throw VIEWER_NOT_UNDERSTOOD({ why: 'it does not say its RFB version' });
  if (dialect === 3) return takeAnyPassword(io);
  io.write(Buffer.from([1, NONE]));
  const [chosen] = await readBytes(io, 1);
  if (chosen !== NONE) throw VIEWER_NOT_UNDERSTOOD({ why: `it chose security ${chosen}, which was not offered` });
  if (dialect === 8) io.write(WELCOME);
}

/**
 * macOS’ Screen Sharing speaks 3.3 and hangs up on a server without a password (LibVNC/libvncserver issue 642, seen with
 * macOS 15). In 3.3 the server alone decides, so it is asked for one, and any will do: hence the challenge need not be new.
 */
async function takeAnyPassword(io: Duplex): Promise<void> {
  io.write(Buffer.concat([uint32(VNC_PASSWORD), Buffer.alloc(CHALLENGE_BYTES)]));
  await readBytes(io, CHALLENGE_BYTES);
  io.write(WELCOME);
}

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

import type { Duplex } from 'node:stream';
import { type Clock, type Duration, formatDuration, minutes, seconds } from '@minifleet/clock';
import { messageOf } from '@minifleet/kube';
import type { GuestScreen } from '../../guests/guest.ts';
import { dial, type GuestConnection } from '../guest-connection.ts';

import { SCREEN_REFUSED, VIEWER_NOT_SUPPORTED } from './errors.ts';
import { logInToScreen } from './log-in-to-screen.ts';
import {
  CHALLENGE_BYTES,
  NONE,
  readBytes,
  rfbVersionOf,
  uint32,
  VERSION_BYTES,
  VNC_PASSWORD,
  versionLine,
} from './rfb.ts';

/**
 * Server side of the RFB handshake. A viewer needs no password: it already has permission to forward the Pod's ports.
 */

const WELCOME = uint32(0);

async function welcomeViewer(io: Duplex): Promise<void> {
  io.write(versionLine(8));
  const version = rfbVersionOf(await readBytes(io, VERSION_BYTES));
  if (version === undefined) throw VIEWER_NOT_SUPPORTED({ why: 'it sent no RFB version' });
  if (version === 3) return acceptAnyPassword(io);
  io.write(Buffer.from([1, NONE]));
  const [chosen] = await readBytes(io, 1);
  if (chosen !== NONE) throw VIEWER_NOT_SUPPORTED({ why: `it chose security ${chosen}, which was not offered` });
  if (version === 8) io.write(WELCOME);
}

/**
 * macOS Screen Sharing uses RFB 3.3 and disconnects from a server without a password (LibVNC/libvncserver issue 642,
 * observed with macOS 15). In 3.3 the server decides, so it requests a password and accepts any; hence the challenge
 * may be constant.
 */
async function acceptAnyPassword(io: Duplex): Promise<void> {
  io.write(Buffer.concat([uint32(VNC_PASSWORD), Buffer.alloc(CHALLENGE_BYTES)]));
  await readBytes(io, CHALLENGE_BYTES);
  io.write(WELCOME);
}

const LOG_IN_WITHIN = seconds(5);
/** The viewer may ask its user for a password. */
const GREET_WITHIN = minutes(2);

/** Connects to the guest's screen and logs in; the viewer needs no password. */
export async function dialScreen(screen: GuestScreen, clock: Clock): Promise<GuestConnection> {
  const io = await dial(screen, clock);
  io.on('error', () => undefined);
  try {
    await withDeadline({ io, clock, within: LOG_IN_WITHIN }, () => logInToScreen(io, screen.password));
  } catch (error) {
    io.destroy();
    throw SCREEN_REFUSED({ address: `${screen.host}:${screen.port}`, why: messageOf(error) }, { cause: error });
  }
  return {
    io,
    greet: viewer => withDeadline({ io: viewer, clock, within: GREET_WITHIN }, () => welcomeViewer(viewer)),
    failure: async () => undefined,
  };
}

interface StreamDeadline {
  readonly io: Duplex;
  readonly clock: Clock;
  readonly within: Duration;
}

async function withDeadline({ io, clock, within }: StreamDeadline, work: () => Promise<void>): Promise<void> {
  const timer = clock.after(within, () => io.destroy(new Error(`timed out after ${formatDuration(within)}`)));
  try {
    await work();
  } finally {
    timer.cancel();
  }
}

/** The server's side of RFB, up to where the viewer may look: whoever may forward the Pod's ports needs no password. */
import type { Duplex } from 'node:stream';
import { VIEWER_NOT_UNDERSTOOD } from './errors.ts';
import { readBytes } from './read-bytes.ts';
import { CHALLENGE_BYTES, dialectOf, NONE, uint32, VERSION_BYTES, VNC_PASSWORD, versionLine } from './rfb.ts';

const WELCOME = uint32(0);

export async function welcomeViewer(io: Duplex): Promise<void> {
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

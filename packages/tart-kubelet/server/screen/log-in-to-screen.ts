/** Client side of the RFB handshake, until the password is accepted; the next message is the viewer's ClientInit. */
import type { Duplex } from 'node:stream';
import { printable } from '../../guests/printable.ts';
import {
  answerChallenge,
  CHALLENGE_BYTES,
  NONE,
  type RfbVersion,
  readBytes,
  rfbVersionOf,
  VERSION_BYTES,
  VNC_PASSWORD,
  versionLine,
} from './rfb.ts';

/** Rejects with the reason why the server refuses the login. */
export async function logInToScreen(io: Duplex, password: string): Promise<void> {
  const line = await readBytes(io, VERSION_BYTES);
  const version = rfbVersionOf(line);
  if (version === undefined)
    throw new Error(`it sent "${printable(line.toString('latin1'))}" instead of its RFB version`);
  io.write(versionLine(version));
  const security = await agreeOnSecurity(io, version);
  if (security === VNC_PASSWORD) io.write(answerChallenge(password, await readBytes(io, CHALLENGE_BYTES)));
  // Before 3.8, the server does not confirm a login without a password.
  if (security === NONE && version < 8) return;
  if ((await readUint32(io)) !== 0) throw new Error(version === 8 ? await readReason(io) : 'password rejected');
}

/** In 3.3 the server decides; later versions let the viewer choose. An empty offer means refusal. */
async function agreeOnSecurity(io: Duplex, version: RfbVersion): Promise<number> {
  const offered = version === 3 ? [await readUint32(io)].filter(Boolean) : await readList(io);
  if (offered.length === 0) throw new Error(await readReason(io));
  const chosen = [VNC_PASSWORD, NONE].find(type => offered.includes(type));
  if (chosen === undefined)
    throw new Error(`it offers only security types ${offered.join(', ')}; 1 and 2 are supported`);
  if (version > 3) io.write(Buffer.from([chosen]));
  return chosen;
}

async function readList(io: Duplex): Promise<readonly number[]> {
  const [count = 0] = await readBytes(io, 1);
  return count === 0 ? [] : [...(await readBytes(io, count))];
}

const readUint32 = async (io: Duplex): Promise<number> => (await readBytes(io, 4)).readUInt32BE();

const MAX_REASON = 1_000;

async function readReason(io: Duplex): Promise<string> {
  const length = await readUint32(io);
  const reason = length === 0 ? '' : (await readBytes(io, Math.min(length, MAX_REASON))).toString();
  return printable(reason) || 'no reason given';
}

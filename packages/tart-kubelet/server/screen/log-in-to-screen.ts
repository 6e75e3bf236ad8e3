/** The viewer's side of RFB, up to where a password has been accepted: the next thing said is the viewer's ClientInit. */
import type { Duplex } from 'node:stream';
import { printable } from '../../guests/printable.ts';
import {
  answerChallenge,
  CHALLENGE_BYTES,
  type Dialect,
  dialectOf,
  NONE,
  readBytes,
  VERSION_BYTES,
  VNC_PASSWORD,
  versionLine,
} from './rfb.ts';

/** Rejects with a sentence that says why the server lets nobody in. */
export async function logInToScreen(io: Duplex, password: string): Promise<void> {
  const line = await readBytes(io, VERSION_BYTES);
  const dialect = dialectOf(line);
  if (dialect === undefined)
    throw new Error(`it says "${printable(line.toString('latin1'))}" instead of its RFB version`);
  io.write(versionLine(dialect));
  const security = await agreeOnSecurity(io, dialect);
  if (security === VNC_PASSWORD) io.write(answerChallenge(password, await readBytes(io, CHALLENGE_BYTES)));
  // Before 3.8 nobody says that no password was fine.
  if (security === NONE && dialect < 8) return;
  if ((await readUint32(io)) !== 0) throw new Error(dialect === 8 ? await readReason(io) : 'the password is not taken');
}

/** In 3.3 the server decides, later the viewer chooses. Nothing to choose from means no. */
async function agreeOnSecurity(io: Duplex, dialect: Dialect): Promise<number> {
  const offered = dialect === 3 ? [await readUint32(io)].filter(Boolean) : await readList(io);
  if (offered.length === 0) throw new Error(await readReason(io));
  const chosen = [VNC_PASSWORD, NONE].find(type => offered.includes(type));
  if (chosen === undefined)
    throw new Error(`it offers security ${offered.join(', ')}, and only 1 and 2 are known here`);
  if (dialect > 3) io.write(Buffer.from([chosen]));
  return chosen;
}

async function readList(io: Duplex): Promise<readonly number[]> {
  const [count = 0] = await readBytes(io, 1);
  return count === 0 ? [] : [...(await readBytes(io, count))];
}

const readUint32 = async (io: Duplex): Promise<number> => (await readBytes(io, 4)).readUInt32BE();

const MOST_WORDS = 1_000;

async function readReason(io: Duplex): Promise<string> {
  const length = await readUint32(io);
  const words = length === 0 ? '' : (await readBytes(io, Math.min(length, MOST_WORDS))).toString();
  return printable(words) || 'it does not say why';
}

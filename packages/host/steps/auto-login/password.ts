import type { Secret } from '@minifleet/secret';
import { HOST_COMMAND_FAILED } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { sudoFailure } from '../../sudo-output.ts';
import { passwordLine } from '../sudo/account.ts';
import { HOST_PASSWORD_UNCHECKED, HOST_PASSWORD_WRONG } from './errors.ts';

/** The key every Mac hides the auto-login password with in /etc/kcpassword: no protection, only the format. */
const KEY = Buffer.from('7d895223d2bcddeaa3b91f', 'hex');

/** What the login window writes over a password that turned out wrong (Tahoe; seen on four hosts that looked healthy). */
const SEALED = Buffer.from('<sealed>');

/** Padded with NUL to the next multiple of the key's length, always by at least one, and XORed with the key. */
export function encodePassword(password: string): Buffer {
  const bytes = Buffer.from(password);
  const padded = Buffer.alloc(bytes.length + KEY.length - (bytes.length % KEY.length));
  bytes.copy(padded);
  return xor(padded);
}

/** Up to the first NUL. */
export function decodePassword(content: Uint8Array): string {
  const plain = xor(content);
  const end = plain.indexOf(0);
  return plain.subarray(0, end < 0 ? undefined : end).toString();
}

/** Whether macOS has put its mark in the place of a password. */
export const isSealed = (content: Uint8Array): boolean => xor(content).subarray(0, SEALED.length).equals(SEALED);

const xor = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.map((byte, index) => byte ^ (KEY[index % KEY.length] ?? 0)));

const PROMPT = 'Password:';

/**
 * Throws unless it is the user's password: tried once, before anything is written.
 *
 * `dscl . -authonly` would do, but takes the password among its arguments, where every process of the host can read it,
 * or from a terminal. `sudo -v` reads it from standard input. It asks although our rule says NOPASSWD, because that
 * takes every rule that fits to say so (`verifypw=all`), and the one for %admin does not; the prompt proves that it did.
 */
export async function checkPassword(host: Host, user: string, password: Secret): Promise<void> {
  const { address } = host;
  const asTheUser = ['/usr/bin/sudo', '-n', '-u', user] as const;
  const stdin = passwordLine(password);
  const ran = await host.run([...asTheUser, '/usr/bin/sudo', '-k', '-S', '-p', PROMPT, '-v'], { stdin });
  const asked = ran.stderr.includes(PROMPT);
  if (ran.exitCode === 0 && asked) return;
  const trouble = sudoFailure(ran);
  if (trouble === 'password wrong') throw HOST_PASSWORD_WRONG({ user, address });
  if (ran.exitCode === 0 || trouble === 'not allowed') throw HOST_PASSWORD_UNCHECKED({ user, address });
  const output = ran.stderr.replaceAll(PROMPT, '').trim() || 'no output';
  throw HOST_COMMAND_FAILED({ command: 'sudo -v', address, status: `exit code ${ran.exitCode}`, output });
}

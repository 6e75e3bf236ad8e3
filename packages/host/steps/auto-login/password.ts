import type { Secret } from '@minifleet/secret';
import { HOST_COMMAND_FAILED } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { sudoFailure } from '../../sudo-output.ts';
import { passwordLine } from '../sudo/account.ts';
import { HOST_PASSWORD_UNCHECKED, HOST_PASSWORD_WRONG } from './errors.ts';

/** Key that every Mac uses to obfuscate the auto-login password in /etc/kcpassword: no protection, only the format. */
const KEY = Buffer.from('7d895223d2bcddeaa3b91f', 'hex');

/** Marker that the login window writes over a wrong password (Tahoe; found on four hosts that seemed healthy). */
const SEALED = Buffer.from('<sealed>');

/** Pads with NUL to the next multiple of the key length, by at least one byte, and XORs with the key. */
export function encodePassword(password: string): Buffer {
  const bytes = Buffer.from(password);
  const padded = Buffer.alloc(bytes.length + KEY.length - (bytes.length % KEY.length));
  bytes.copy(padded);
  return xor(padded);
}

/** Decodes up to the first NUL. */
export function decodePassword(content: Uint8Array): string {
  const plain = xor(content);
  const end = plain.indexOf(0);
  return plain.subarray(0, end < 0 ? undefined : end).toString();
}

/** True if macOS replaced the password with its marker. */
export const isSealed = (content: Uint8Array): boolean => xor(content).subarray(0, SEALED.length).equals(SEALED);

const xor = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.map((byte, index) => byte ^ (KEY[index % KEY.length] ?? 0)));

const PROMPT = 'Password:';

/**
 * Throws unless it is the user's password. Tried once, before anything is written.
 *
 * `dscl . -authonly` would also work, but takes the password as an argument, which every process of the host can read,
 * or from a terminal. `sudo -v` reads it from standard input. It asks despite the NOPASSWD rule, because with
 * `verifypw=all` every matching rule must say so, and the %admin rule does not. The prompt proves that it asked.
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

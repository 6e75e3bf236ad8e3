import type { Secret } from '@minifleet/secret';
import { HOST_COMMAND_FAILED } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { sudoTrouble } from '../../sudo-answer.ts';
import { passwordLine } from '../sudo/password-line.ts';
import { HOST_PASSWORD_UNCHECKED, HOST_PASSWORD_WRONG } from './errors.ts';

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
  const trouble = sudoTrouble(ran);
  if (trouble === 'password wrong') throw HOST_PASSWORD_WRONG({ user, address });
  if (ran.exitCode === 0 || trouble === 'not allowed') throw HOST_PASSWORD_UNCHECKED({ user, address });
  const output = ran.stderr.replaceAll(PROMPT, '').trim() || 'it said nothing';
  throw HOST_COMMAND_FAILED({ command: 'sudo -v', address, status: `exit code ${ran.exitCode}`, output });
}

import { formatDuration, minutes, seconds } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { defineStep, drift } from '../../engine/step.ts';
import type { Host } from '../../host.ts';
import { scriptFailure } from '../../script-failure.ts';
import { assertUnlocked, passwordText, readLockState } from '../sudo/account.ts';
import { requireUserName } from '../sudo/sudo.ts';
import {
  type AutoLoginHostState,
  hasWrongPermissions,
  LOGIN_WINDOW_PREFERENCES,
  otherDifferences,
  PASSWORD_FILE,
  passwordDifferences,
  readAutoLogin,
} from './auto-login-state.ts';
import { HOST_PASSWORD_NEEDED, HOST_PASSWORD_SEALED, HOST_SESSION_MISSING } from './errors.ts';
import { checkPassword, decodePassword, encodePassword } from './password.ts';

// A login takes about two seconds, longer right after boot (the operators waited as long).
const SESSION_TIMEOUT = seconds(30);
const SEALED = 82;
const NO_SESSION = 83;

/**
 * Starts the GUI session by restarting the login window, whether it runs or not. An existing session is never touched,
 * because its end would stop every VM. On a Mac without a display this triggers auto-login, because the login window
 * that starts at boot ignores it.
 */
export async function restartLoginWindow(host: Host, user: string): Promise<'alive' | 'restarted'> {
  const { address } = host;
  const ran = await host.script('auto-login-restart', [user, String(SESSION_TIMEOUT / 1_000)], { timeout: minutes(1) });
  if (ran.exitCode === SEALED) throw HOST_PASSWORD_SEALED({ user, address });
  if (ran.exitCode === NO_SESSION)
    throw HOST_SESSION_MISSING({ user, address, after: formatDuration(SESSION_TIMEOUT) });
  if (ran.exitCode !== 0) throw scriptFailure(host, { command: 'auto-login-restart', path: '/etc/kcpassword' }, ran);
  return ran.stdout.trim() === 'alive' ? 'alive' : 'restarted';
}

interface AutoLoginSettings {
  /** Account of the GUI session, which runs the VMs. */
  readonly user: string;
  /** Without it a configured host is maintained, but a new one cannot be set up. */
  readonly password?: Secret | undefined;
}

/**
 * A live GUI session: macOS starts no guest without one. Disturbs nothing: an existing session is never touched, and
 * without a session no VM can be running.
 */
export const autoLogin = defineStep<AutoLoginSettings>({
  id: 'auto-login',
  title: 'GUI session by auto-login',
  disturbs: 'nothing',
  timeout: minutes(2),

  async inspect(host, { user, password }) {
    requireUserName(user);
    const state = await readAutoLogin(host, user);
    const desired = { user, password: password && passwordText(password) };
    return drift([...passwordDifferences(state, desired), ...otherDifferences(state, user)]);
  },

  async change(host, { user, password }) {
    requireUserName(user);
    const [state, lock] = await Promise.all([readAutoLogin(host, user), readLockState(host, user)]);
    const text = password && passwordText(password);
    const [missing] = passwordDifferences(state, { user, password: text });
    if (password === undefined || text === undefined) {
      if (missing !== undefined) throw HOST_PASSWORD_NEEDED({ user, address: host.address, difference: missing });
    } else {
      assertUnlocked(host, user, lock);
      // Before anything is written: a wrong password could replace a correct one on the host (I07).
      await checkPassword(host, user, password);
    }
    return [...(await writeAutoLogin(host, state, { user, text })), ...(await logIn(host, state, user))];
  },
});

interface AutoLoginTarget {
  readonly user: string;
  readonly text: string | undefined;
}

/**
 * Writes only what differs. The file comes first, so that a login window that starts in between never has a user
 * without a password.
 */
async function writeAutoLogin(
  host: Host,
  { content, info, user: configuredUser }: AutoLoginHostState,
  { user, text }: AutoLoginTarget,
): Promise<string[]> {
  const notes: string[] = [];
  const other = text !== undefined && (content === undefined || decodePassword(content) !== text);
  const right = other ? encodePassword(text) : content;
  if (right && (other || (info && hasWrongPermissions(info)))) {
    const place = { path: PASSWORD_FILE, mode: 0o600, owner: 'root:wheel' };
    await host.writeFile(place, new Secret('auto-login password', right));
    notes.push(`wrote ${PASSWORD_FILE}`);
  }
  if (configuredUser !== user) {
    const argv = ['/usr/bin/defaults', 'write', LOGIN_WINDOW_PREFERENCES, 'autoLoginUser', user] as const;
    await host.must(argv, { root: true });
    notes.push(`set auto-login to ${user}`);
  }
  return notes;
}

async function logIn(host: Host, { session }: AutoLoginHostState, user: string): Promise<string[]> {
  if (session) return [];
  return (await restartLoginWindow(host, user)) === 'alive' ? [] : ['restarted the login window'];
}

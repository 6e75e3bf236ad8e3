import { formatDuration, minutes, seconds } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { defineStep, drift } from '../../engine/step.ts';
import type { Host } from '../../host.ts';
import { scriptFailure } from '../../script-failure.ts';
import { assertUnlocked, passwordText, readLockState } from '../sudo/account.ts';
import { requireUserName } from '../sudo/sudo.ts';
import {
  type AutoLoginState,
  hasWrongRights,
  LOGIN_WINDOW_PREFERENCES,
  otherDifferences,
  PASSWORD_FILE,
  passwordDifferences,
  readAutoLogin,
} from './auto-login-state.ts';
import { HOST_PASSWORD_NEEDED, HOST_PASSWORD_SEALED, HOST_SESSION_MISSING } from './errors.ts';
import { checkPassword, decodePassword, encodePassword } from './password.ts';

// A login takes about two seconds; a Mac that just booted needs longer (the operators waited as long).
const PATIENCE = seconds(30);
const SEALED = 82;
const NO_SESSION = 83;

/**
 * Brings up the user's session at the screen by restarting the login window, dead or alive. A session that lives is left
 * alone, whoever asks: its end would end every VM. On a Mac without a display this is what makes auto-login happen, as
 * the login window that starts at boot ignores it.
 */
export async function restartLoginWindow(host: Host, user: string): Promise<'alive' | 'restarted'> {
  const { address } = host;
  const ran = await host.script('auto-login-restart', [user, String(PATIENCE / 1_000)], { timeout: minutes(1) });
  if (ran.exitCode === SEALED) throw HOST_PASSWORD_SEALED({ user, address });
  if (ran.exitCode === NO_SESSION) throw HOST_SESSION_MISSING({ user, address, after: formatDuration(PATIENCE) });
  if (ran.exitCode !== 0) throw scriptFailure(host, { command: 'auto-login-restart', path: '/etc/kcpassword' }, ran);
  return ran.stdout.trim() === 'alive' ? 'alive' : 'restarted';
}

interface AutoLoginSettings {
  /** Who is to be logged in at the screen: the account that runs the VMs. */
  readonly user: string;
  /** Without it a host that is set up is kept going, and one that is not cannot be. */
  readonly password?: Secret | undefined;
}

/**
 * A live session at the screen: macOS starts no guest without one. It disturbs nothing: a session that lives is never
 * touched, and without a session no VM can be running.
 */
export const autoLogin = defineStep<AutoLoginSettings>({
  id: 'auto-login',
  title: 'logged in at the screen',
  disturbs: 'nothing',
  timeout: minutes(2),

  async inspect(host, { user, password }) {
    requireUserName(user);
    const state = await readAutoLogin(host, user);
    const wanted = { user, password: password && passwordText(password) };
    return drift([...passwordDifferences(state, wanted), ...otherDifferences(state, user)]);
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
      // Before anything is written: a wrong one would cost the host the right one it may have (I07).
      await checkPassword(host, user, password);
    }
    return [...(await writeAutoLogin(host, state, { user, text })), ...(await logIn(host, state, user))];
  },
});

interface AutoLoginTarget {
  readonly user: string;
  readonly text: string | undefined;
}

/** Only what differs: the file first, so that a login window that starts in between finds no user without a password. */
async function writeAutoLogin(
  host: Host,
  { content, info, user: told }: AutoLoginState,
  { user, text }: AutoLoginTarget,
): Promise<string[]> {
  const notes: string[] = [];
  const other = text !== undefined && (content === undefined || decodePassword(content) !== text);
  const right = other ? encodePassword(text) : content;
  if (right && (other || (info && hasWrongRights(info)))) {
    const place = { path: PASSWORD_FILE, mode: 0o600, owner: 'root:wheel' };
    await host.writeFile(place, new Secret('auto-login password', right));
    notes.push(`wrote ${PASSWORD_FILE}`);
  }
  if (told !== user) {
    const argv = ['/usr/bin/defaults', 'write', LOGIN_WINDOW_PREFERENCES, 'autoLoginUser', user] as const;
    await host.must(argv, { root: true });
    notes.push(`set auto-login to ${user}`);
  }
  return notes;
}

async function logIn(host: Host, { session }: AutoLoginState, user: string): Promise<string[]> {
  if (session) return [];
  return (await restartLoginWindow(host, user)) === 'alive' ? [] : ['restarted the login window'];
}

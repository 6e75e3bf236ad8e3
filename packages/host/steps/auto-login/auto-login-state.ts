import type { FileInfo, HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';
import { decodePassword, isSealed } from './password.ts';

export const PASSWORD_FILE = '/etc/kcpassword';
export const LOGIN_WINDOW_PREFERENCES = '/Library/Preferences/com.apple.loginwindow';

/** How a host stands with logging its user in by itself. */
export interface AutoLoginState {
  /** Whom the login window is told to log in. */
  readonly user: string | undefined;
  /** /etc/kcpassword as it lies there, encoded. */
  readonly content: Buffer | undefined;
  readonly info: FileInfo | undefined;
  readonly session: boolean;
  readonly loginWindowRuns: boolean;
}

/** In one round trip. */
export async function readAutoLogin(host: HostView, user: string): Promise<AutoLoginState> {
  const root = { root: true };
  const [told, content, info, session, loginWindow] = await Promise.all([
    host.query(['/usr/bin/defaults', 'read', LOGIN_WINDOW_PREFERENCES, 'autoLoginUser'], root),
    host.readBytes(PASSWORD_FILE),
    host.fileInfo(PASSWORD_FILE),
    hasAquaSession(host, user),
    host.query(['/bin/launchctl', 'print', 'system/com.apple.loginwindow'], root),
  ]);
  return {
    user: told.exitCode === 0 ? told.stdout.trim() : undefined,
    content,
    info,
    session,
    loginWindowRuns: isRunning(loginWindow.stdout),
  };
}

interface ExpectedAutoLogin {
  readonly user: string;
  /** Undefined when nobody knows it. */
  readonly password: string | undefined;
}

const MODE = 0o600;

/** What only someone who knows the password can put right, in words that hold nothing of it. */
export function passwordDifferences({ user: told, content }: AutoLoginState, wanted: ExpectedAutoLogin): string[] {
  const { user, password } = wanted;
  const setting =
    told === user ? [] : [`auto-login is ${told === undefined ? 'off' : `for ${told}`}, expected for ${user}`];
  if (content === undefined) return [...setting, 'kcpassword is missing'];
  if (isSealed(content)) return [...setting, 'kcpassword is sealed: the login window rejected its password'];
  const same = password === undefined || decodePassword(content) === password;
  return same ? setting : [...setting, 'kcpassword contains another password than the provided one'];
}

/** What can be put right without the password. */
export function otherDifferences({ info, session, loginWindowRuns }: AutoLoginState, user: string): string[] {
  const rights =
    info && hasWrongRights(info) ? [`kcpassword has ${rightsOf(info)}, expected mode 0600 and owner 0`] : [];
  const window = session || loginWindowRuns ? [] : ['the login window is not running'];
  return [...rights, ...window, ...(session ? [] : [`${user} has no session at the screen`])];
}

export const hasWrongRights = (info: FileInfo): boolean => info.mode !== MODE || info.uid !== 0;

const rightsOf = ({ mode, uid }: FileInfo): string => `mode ${mode.toString(8).padStart(4, '0')} and owner ${uid}`;

/** Whether `launchctl print gui/<uid>` shows a session at the screen: what macOS wants to see before it starts a guest. */
const isAquaSession = (printed: string): boolean => /^\s*session = Aqua\s*$/m.test(printed);

/** Whether `launchctl print system/com.apple.loginwindow` shows a process. */
const isRunning = (printed: string): boolean => /^\s*state = running\s*$/m.test(printed);

/** Looks for the session of one user; the user's number is asked on the way, so that it costs no second round trip. */
async function hasAquaSession(host: HostView, user: string): Promise<boolean> {
  const printed = await host.query(['/bin/sh', '-c', loadScript('auto-login-session'), 'auto-login-session', user], {
    root: true,
  });
  return isAquaSession(printed.stdout);
}

import type { FileInfo, HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';
import { decodePassword, isSealed } from './password.ts';

export const PASSWORD_FILE = '/etc/kcpassword';
export const LOGIN_WINDOW_PREFERENCES = '/Library/Preferences/com.apple.loginwindow';

/** Auto-login state of a host. */
export interface AutoLoginHostState {
  /** Auto-login user of the login window. */
  readonly user: string | undefined;
  /** Encoded content of /etc/kcpassword. */
  readonly content: Buffer | undefined;
  readonly info: FileInfo | undefined;
  readonly session: boolean;
  readonly loginWindowRuns: boolean;
}

/** Reads everything in one round trip. */
export async function readAutoLogin(host: HostView, user: string): Promise<AutoLoginHostState> {
  const root = { root: true };
  const [configuredUser, content, info, session, loginWindow] = await Promise.all([
    host.query(['/usr/bin/defaults', 'read', LOGIN_WINDOW_PREFERENCES, 'autoLoginUser'], root),
    host.readBytes(PASSWORD_FILE),
    host.fileInfo(PASSWORD_FILE),
    hasAquaSession(host, user),
    host.query(['/bin/launchctl', 'print', 'system/com.apple.loginwindow'], root),
  ]);
  return {
    user: configuredUser.exitCode === 0 ? configuredUser.stdout.trim() : undefined,
    content,
    info,
    session,
    loginWindowRuns: isRunning(loginWindow.stdout),
  };
}

interface ExpectedAutoLogin {
  readonly user: string;
  /** Undefined if unknown. */
  readonly password: string | undefined;
}

const MODE = 0o600;

/** Differences that need the password to repair; the texts contain nothing of it. */
export function passwordDifferences(
  { user: configuredUser, content }: AutoLoginHostState,
  desired: ExpectedAutoLogin,
): string[] {
  const { user, password } = desired;
  const setting =
    configuredUser === user
      ? []
      : [`auto-login is ${configuredUser === undefined ? 'off' : `for ${configuredUser}`}, expected for ${user}`];
  if (content === undefined) return [...setting, 'kcpassword is missing'];
  if (isSealed(content)) return [...setting, 'kcpassword is sealed: the login window rejected its password'];
  const same = password === undefined || decodePassword(content) === password;
  return same ? setting : [...setting, 'kcpassword contains another password than the provided one'];
}

/** Differences that can be repaired without the password. */
export function otherDifferences({ info, session, loginWindowRuns }: AutoLoginHostState, user: string): string[] {
  const rights =
    info && hasWrongPermissions(info) ? [`kcpassword has ${permissionsOf(info)}, expected mode 0600 and owner 0`] : [];
  const window = session || loginWindowRuns ? [] : ['the login window is not running'];
  return [...rights, ...window, ...(session ? [] : [`${user} has no GUI session`])];
}

export const hasWrongPermissions = (info: FileInfo): boolean => info.mode !== MODE || info.uid !== 0;

const permissionsOf = ({ mode, uid }: FileInfo): string => `mode ${mode.toString(8).padStart(4, '0')} and owner ${uid}`;

/** True if `launchctl print gui/<uid>` shows a GUI session, which macOS requires to start a guest. */
const isAquaSession = (printed: string): boolean => /^\s*session = Aqua\s*$/m.test(printed);

/** True if `launchctl print system/com.apple.loginwindow` shows a process. */
const isRunning = (printed: string): boolean => /^\s*state = running\s*$/m.test(printed);

/** Checks the session of one user. The script resolves the uid, which saves a second round trip. */
async function hasAquaSession(host: HostView, user: string): Promise<boolean> {
  const printed = await host.query(['/bin/sh', '-c', loadScript('auto-login-session'), 'auto-login-session', user], {
    root: true,
  });
  return isAquaSession(printed.stdout);
}

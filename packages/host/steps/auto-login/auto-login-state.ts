import type { FileInfo, HostView } from '../../host.ts';
import { hasAquaSession, isRunning } from './aqua-session.ts';

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
    host.look(['/usr/bin/defaults', 'read', LOGIN_WINDOW_PREFERENCES, 'autoLoginUser'], root),
    host.readBytes(PASSWORD_FILE),
    host.fileInfo(PASSWORD_FILE),
    hasAquaSession(host, user),
    host.look(['/bin/launchctl', 'print', 'system/com.apple.loginwindow'], root),
  ]);
  return {
    user: told.exitCode === 0 ? told.stdout.trim() : undefined,
    content,
    info,
    session,
    loginWindowRuns: isRunning(loginWindow.stdout),
  };
}

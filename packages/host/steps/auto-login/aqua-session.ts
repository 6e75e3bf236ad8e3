import type { HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';

/** Whether `launchctl print gui/<uid>` shows a session at the screen: what macOS wants to see before it starts a guest. */
export const isAquaSession = (printed: string): boolean => /^\s*session = Aqua\s*$/m.test(printed);

/** Whether `launchctl print system/com.apple.loginwindow` shows a process. */
export const isRunning = (printed: string): boolean => /^\s*state = running\s*$/m.test(printed);

/** Looks for the session of one user; the user's number is asked on the way, so that it costs no second round trip. */
export async function hasAquaSession(host: HostView, user: string): Promise<boolean> {
  const printed = await host.look(['/bin/sh', '-c', loadScript('auto-login-session'), 'auto-login-session', user], {
    root: true,
  });
  return isAquaSession(printed.stdout);
}

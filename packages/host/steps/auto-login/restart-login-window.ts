import { formatDuration, minutes, seconds } from '@minifleet/clock';
import type { Host } from '../../host.ts';
import { scriptFailure } from '../../launchd/script-failure.ts';
import { HOST_PASSWORD_SEALED, HOST_SESSION_MISSING } from './errors.ts';

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

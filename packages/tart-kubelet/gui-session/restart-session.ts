import { minutes } from '@minifleet/clock';
import type { Host } from '@minifleet/host';

/** A login takes about two seconds, on a Mac that just booted longer. */
const PATIENCE_SECONDS = 30;

const SEALED = 82;
const NO_SESSION = 83;

/**
 * Brings the session back as the bootstrap does, with the same script: the login window is restarted through launchd,
 * dead or alive, unless a session came up meanwhile. Its end would end every VM.
 */
export async function restartSession(host: Host, user: string): Promise<'alive' | 'restarted'> {
  const ran = await host.script('auto-login-restart', [user, `${PATIENCE_SECONDS}`], { timeout: minutes(1) });
  if (ran.exitCode === SEALED) throw new Error(`the login window refused the password kept for ${user} and sealed it`);
  if (ran.exitCode === NO_SESSION) throw new Error(`${user} has no session ${PATIENCE_SECONDS} s after the restart`);
  if (ran.exitCode !== 0) throw new Error(`the login window was not restarted: ${ran.stderr.trim() || ran.exitCode}`);
  return ran.stdout.trim() === 'alive' ? 'alive' : 'restarted';
}

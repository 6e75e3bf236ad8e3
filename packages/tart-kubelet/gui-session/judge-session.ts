import { isSealed, type readAutoLogin } from '@minifleet/host';
import { type Finding, fails, holds } from '../node/finding.ts';

type AutoLoginState = Awaited<ReturnType<typeof readAutoLogin>>;

export interface SessionVerdict {
  /** In the words of the Node's condition `GUISessionReady`. */
  readonly finding: Finding;
  /** Whether a restart of the login window can bring the session back. */
  readonly repairable: boolean;
}

/** What a host's login says about starting VMs: a session at the screen is all macOS asks, whatever else is wrong. */
export function judgeSession({ session, content, user: told }: AutoLoginState, user: string): SessionVerdict {
  if (session) return { finding: holds('SessionActive', `${user} is logged in at the screen`), repairable: false };
  if (content === undefined) return lost('PasswordMissing', `${user} cannot be logged in: no password is kept for it`);
  if (isSealed(content)) return lost('PasswordSealed', `the login window refused the password kept for ${user}`);
  if (told !== user) return lost('AutoLoginOff', `auto-login is ${told ? `for ${told}` : 'off'}, not for ${user}`);
  return { finding: fails('NoSession', `${user} has no session at the screen`), repairable: true };
}

/** Only somebody who knows the password can put it right: a restart would find the same. */
const lost = (reason: string, words: string): SessionVerdict => ({
  finding: fails(reason, `${words}; run \`minifleet prepare-fleet-host\` with the account’s password`),
  repairable: false,
});

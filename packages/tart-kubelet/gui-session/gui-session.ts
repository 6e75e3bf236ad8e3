import { createBackOff, minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { type Host, isSealed, readAutoLogin, restartLoginWindow } from '@minifleet/host';
import { errorFields, type Log, messageOf } from '@minifleet/kube';
import { type Finding, fails, holds, unknown } from '../node/finding.ts';

/** Why no VM can be started on this Mac. */

const GUI_SESSION_MISSING = defineError('GUI_SESSION_MISSING', {
  retry: 'backoff',
  reason: 'GUISessionMissing',
  text: 'no VM can start on this Mac: {why}',
});

interface GuiSessionOptions {
  /** This Mac: `openHost` over `localTransport`. */
  readonly host: Host;
  /** Who must be logged in: the account that runs the VMs. */
  readonly user: string;
  readonly log: Log;
  /** A repair came to its end: whoever shows the condition looks again. */
  readonly onRepaired?: (() => void) | undefined;
}

/** The session at the screen that macOS wants before it starts a VM. */
export interface GuiSession {
  /** For the Node's condition `GUISessionReady`: looks, starts a repair if one is due, and does not wait for it. */
  check(): Promise<Finding>;
  /**
   * Before every start of a VM: waits for a repair that is due or under way, and throws `GUI_SESSION_MISSING` when there
   * is no session then. Whoever cannot look may start: Tart says itself when there is none.
   */
  require(): Promise<void>;
}

/** Restarting the login window more often would keep a person at the vendor's console from ever logging in. */
const REPAIRS = { first: minutes(1), most: minutes(30) } as const;

export function createGuiSession(options: GuiSessionOptions): GuiSession {
  const repairs = createRepairs(options);
  let looking: Promise<SessionVerdict> | undefined;

  /** Two guests that start together cost one look. */
  const look = (): Promise<SessionVerdict> => {
    looking ??= lookOnce(options).finally(() => {
      looking = undefined;
    });
    return looking;
  };

  return {
    async check() {
      const verdict = await look();
      void repairs.startIfDue(verdict);
      return verdict.finding;
    },
    async require() {
      const first = await look();
      const repaired = repairs.startIfDue(first);
      if (first.finding.status !== 'False') return;
      await repaired;
      const { finding } = repaired ? await look() : first;
      if (finding.status === 'False') throw GUI_SESSION_MISSING({ why: finding.message });
    },
  };
}

/** One repair at a time, and the next after a failed one only when its back-off is over. */
function createRepairs({ host, user, log, onRepaired }: GuiSessionOptions) {
  const backOff = createBackOff(REPAIRS, host.clock);
  let underWay: Promise<void> | undefined;
  let notBefore = 0;

  const repair = async (): Promise<void> => {
    log.warn({ user }, 'No session at the screen; restarting the login window');
    try {
      log.info({ user, result: await restartLoginWindow(host, user) }, 'The session at the screen is back');
    } catch (error) {
      log.warn({ ...errorFields(error), user }, 'The session at the screen did not come back');
    }
  };

  return {
    /** The repair under way, one it started, or undefined when none is due. */
    startIfDue({ finding, repairable }: SessionVerdict): Promise<void> | undefined {
      if (finding.status === 'True') {
        backOff.reset();
        notBefore = 0;
      }
      if (underWay || !repairable || host.clock.now() < notBefore) return underWay;
      notBefore = host.clock.now() + backOff.next();
      underWay = repair().finally(() => {
        underWay = undefined;
        onRepaired?.();
      });
      return underWay;
    },
  };
}

async function lookOnce({ host, user, log }: GuiSessionOptions): Promise<SessionVerdict> {
  try {
    return judgeSession(await readAutoLogin(host, user), user);
  } catch (error) {
    log.warn({ ...errorFields(error), user }, 'The session at the screen cannot be looked at');
    return {
      finding: unknown('CannotLook', `cannot look for the session of ${user}: ${messageOf(error)}`),
      repairable: false,
    };
  }
}

type AutoLoginState = Awaited<ReturnType<typeof readAutoLogin>>;

interface SessionVerdict {
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

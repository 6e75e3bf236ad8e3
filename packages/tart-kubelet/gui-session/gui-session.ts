import { createBackOff, minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { type Host, isSealed, readAutoLogin, restartLoginWindow } from '@minifleet/host';
import { errorFields, type Log, messageOf } from '@minifleet/kube';
import { fails, holds, type NodeFinding, unknown } from '../node/finding.ts';

const GUI_SESSION_MISSING = defineError('GUI_SESSION_MISSING', {
  retry: 'backoff',
  reason: 'GUISessionMissing',
  text: 'GUI session: missing, so no VM can start ({why}); retrying',
});

interface GuiSessionOptions {
  /** This Mac: `openHost` over `localTransport`. */
  readonly host: Host;
  /** Account that runs the VMs and must be logged in. */
  readonly user: string;
  readonly log: Log;
  /** Called after a repair attempt, so that the condition is updated. */
  readonly onRepaired?: (() => void) | undefined;
}

/** The GUI session that macOS requires to start a VM. */
export interface GuiSession {
  /**
   * Checks the session for the Node condition `GUISessionReady` and starts a repair if one is due, without waiting for
   * it.
   */
  check(): Promise<NodeFinding>;
  /**
   * Called before every VM start: waits for a repair that is due or in progress, and throws `GUI_SESSION_MISSING` if
   * there is still no session. If the check itself fails, the start is allowed: Tart reports a missing session.
   */
  require(): Promise<void>;
}

/** Restarting the login window more often would keep an operator at the vendor's console from logging in. */
const REPAIRS = { first: minutes(1), most: minutes(30) } as const;

export function createGuiSession(options: GuiSessionOptions): GuiSession {
  const repairs = createRepairs(options);
  let checking: Promise<SessionState> | undefined;

  /** Concurrent starts share one check. */
  const checkSession = (): Promise<SessionState> => {
    checking ??= checkOnce(options).finally(() => {
      checking = undefined;
    });
    return checking;
  };

  return {
    async check() {
      const verdict = await checkSession();
      void repairs.startIfDue(verdict);
      return verdict.finding;
    },
    async require() {
      const first = await checkSession();
      const repaired = repairs.startIfDue(first);
      if (first.finding.status !== 'False') return;
      await repaired;
      const { finding } = repaired ? await checkSession() : first;
      if (finding.status === 'False') throw GUI_SESSION_MISSING({ why: finding.message });
    },
  };
}

/** Runs one repair at a time; after a failure, the next one starts only after its back-off. */
function createRepairs({ host, user, log, onRepaired }: GuiSessionOptions) {
  const backOff = createBackOff(REPAIRS, host.clock);
  let inProgress: Promise<void> | undefined;
  let notBefore = 0;

  const repair = async (): Promise<void> => {
    log.warn({ user }, 'GUI session missing; restarting the login window');
    try {
      log.info({ user, result: await restartLoginWindow(host, user) }, 'GUI session restored');
    } catch (error) {
      log.warn({ ...errorFields(error), user }, 'GUI session could not be restored');
    }
  };

  return {
    /** Returns the repair in progress or the started one; undefined if none is due. */
    startIfDue({ finding, repairable }: SessionState): Promise<void> | undefined {
      if (finding.status === 'True') {
        backOff.reset();
        notBefore = 0;
      }
      if (inProgress || !repairable || host.clock.now() < notBefore) return inProgress;
      notBefore = host.clock.now() + backOff.next();
      inProgress = repair().finally(() => {
        inProgress = undefined;
        onRepaired?.();
      });
      return inProgress;
    },
  };
}

async function checkOnce({ host, user, log }: GuiSessionOptions): Promise<SessionState> {
  try {
    return judgeSession(await readAutoLogin(host, user), user);
  } catch (error) {
    log.warn({ ...errorFields(error), user }, 'GUI session check failed');
    return {
      finding: unknown('SessionCheckFailed', `GUI session of ${user} could not be checked: ${messageOf(error)}`),
      repairable: false,
    };
  }
}

type ReadAutoLogin = Awaited<ReturnType<typeof readAutoLogin>>;

interface SessionState {
  /** Status of the Node condition `GUISessionReady`. */
  readonly finding: NodeFinding;
  /** A restart of the login window can restore the session. */
  readonly repairable: boolean;
}

/**
 * Decides from a host's login state whether VMs can start: macOS requires only a GUI session, whatever else is wrong.
 */
export function judgeSession({ session, content, user: autoLoginUser }: ReadAutoLogin, user: string): SessionState {
  if (session) return { finding: holds('SessionActive', `${user} has a GUI session`), repairable: false };
  if (content === undefined)
    return needsOperator('PasswordMissing', `${user} cannot be logged in: no auto-login password is stored`);
  if (isSealed(content))
    return needsOperator('PasswordSealed', `the login window refused the stored password of ${user}`);
  if (autoLoginUser !== user)
    return needsOperator(
      'AutoLoginOff',
      `auto-login is ${autoLoginUser ? `set to ${autoLoginUser}` : 'off'}, expected ${user}`,
    );
  return { finding: fails('NoSession', `${user} has no GUI session`), repairable: true };
}

/** A repair would fail the same way: the password must be entered by an operator. */
const needsOperator = (reason: string, message: string): SessionState => ({
  finding: fails(reason, `${message}; run \`minifleet prepare-fleet-host\` with the account’s password`),
  repairable: false,
});

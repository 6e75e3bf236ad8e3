import { type Duration, milliseconds, seconds, type Timer } from '@minifleet/clock';
import { errorFields, messageOf } from '@minifleet/kube';
import { stopGrace } from '../decide/delays.ts';
import type { Sight } from '../observe.ts';
import { containerNameOf, idOf, type Work } from '../pod-context.ts';
import type { Stopping } from '../pod-state.ts';
import { runHook } from '../probes/guest-action.ts';
import { askingOf } from './start-probes.ts';

/** As kubelet: whatever a preStop hook used up, the guest still gets this long. */
const AFTER_HOOK = seconds(2);
const AGAIN_AFTER = seconds(5);

/** Ends the run inside its grace; a grace that shrinks meanwhile is honoured at once. Returns before the guest has ended. */
export async function stop(work: Work, { run }: Sight): Promise<void> {
  const { life } = work;
  if (!run) return;
  const ofProbe = life.condemned?.attempt === run.attempt ? life.condemned.grace : undefined;
  const grace = stopGrace({ pod: life.pod, absent: life.gone, ofProbe });
  if (life.stopping?.attempt !== run.attempt) life.stopping = begin(work, { attempt: run.attempt, grace });
  else if (grace < life.stopping.grace) {
    life.stopping.hurry(grace);
    life.stopping = { ...life.stopping, grace };
  }
}

interface Stop {
  readonly attempt: number;
  readonly grace: Duration;
}

function begin(work: Work, { attempt, grace }: Stop): Stopping {
  const { life, around } = work;
  const { clock, guests } = around;
  const id = idOf(work, attempt);
  const hookOver = new AbortController();
  let deadline = clock.now() + grace;
  let stopping = false;
  let hookTimer: Timer | undefined = clock.after(grace, () => hookOver.abort());

  // Never more than the grace itself, should the host's clock be set back meanwhile.
  const left = (): Duration => milliseconds(Math.min(grace, Math.max(0, deadline - clock.now())));
  async function end(): Promise<void> {
    const hooked = await preStop(work, attempt, hookOver.signal);
    hookTimer?.cancel();
    hookTimer = undefined;
    stopping = true;
    await guests.stop(id, hooked ? milliseconds(Math.max(left(), AFTER_HOOK)) : left());
  }
  const failed = (error: unknown): void => {
    hookTimer?.cancel();
    work.log.error(errorFields(error), 'Guest not stopped');
    work.say('Warning', 'FailedKillPod', `error killing pod: ${messageOf(error)}`);
    life.stopping = undefined;
    work.wakeAt(clock.now() + AGAIN_AFTER);
  };

  life.tending?.end();
  // A failed probe has told why already.
  if (life.condemned?.attempt !== attempt) work.say('Normal', 'Killing', `Stopping container ${containerNameOf(work)}`);
  void end().then(() => work.wake(), failed);
  return {
    attempt,
    grace,
    hurry(shorter) {
      deadline = Math.min(deadline, clock.now() + shorter);
      if (stopping)
        guests.stop(id, left()).catch(() => undefined); // the first call tells of the failure
      else {
        hookTimer?.cancel();
        hookTimer = clock.after(left(), () => hookOver.abort());
      }
    },
  };
}

/** Runs inside the grace and at its cost; true when there was one. */
async function preStop(work: Work, attempt: number, signal: AbortSignal): Promise<boolean> {
  const { life, around } = work;
  const hook = life.pod?.spec?.containers[0]?.lifecycle?.preStop;
  if (!hook || life.gone || around.guests.find(idOf(work, attempt))?.state.phase !== 'running') return false;
  const { ok, output } = await runHook({ hook, clock: around.clock, signal, context: askingOf(work, attempt) });
  if (!ok) work.say('Warning', 'FailedPreStopHook', `PreStopHook failed: ${output}`);
  return true;
}

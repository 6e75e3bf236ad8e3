import { formatDuration } from '@minifleet/clock';
import { crashesAfter, restartDelay } from '../decide/restart-delay.ts';
import { report } from '../report.ts';
import { look, type Sight } from '../sight.ts';
import { containerNameOf, type Work } from '../work.ts';
import { launch } from './launch.ts';
import { removeGuests } from './tear-down.ts';

/** Runs the Pod again after its back-off. The end of the run before is on the server before its VM and its record go. */
export async function restart(work: Work, sight: Sight): Promise<void> {
  const { life, around } = work;
  const { run } = sight;
  if (!run?.exit) return;
  life.tending?.end();
  const restartAt = countCrash(work, run.attempt, run.exit);
  if (around.clock.now() < restartAt) return work.wakeAt(restartAt);
  life.stopping = undefined;
  if (run.guest) {
    await report(work, sight);
    life.lastExit = run.exit;
    await removeGuests(work);
  }
  life.waiting = undefined;
  // The record is gone, what was reported is not: the next attempt follows from it.
  await launch(work, { ...look(work), run });
}

type Exit = Parameters<typeof crashesAfter>[1];

/** Once per run: says when the next may begin. */
function countCrash(work: Work, attempt: number, exit: Exit): number {
  const { life, around } = work;
  if (life.crashes?.attempt === attempt) return life.crashes.restartAt;
  const count = crashesAfter(life.crashes?.count ?? 0, exit);
  const delay = restartDelay(count);
  const restartAt = around.clock.now() + delay;
  life.crashes = { attempt, count, restartAt };
  if (delay > 0) {
    const { name, namespace } = life.pod?.metadata ?? { name: '' };
    const what = `container=${containerNameOf(work)} pod=${name}_${namespace}(${life.uid})`;
    life.waiting = {
      reason: 'CrashLoopBackOff',
      message: `back-off ${formatDuration(delay)} restarting failed ${what}`,
    };
    work.say('Warning', 'BackOff', `Back-off restarting failed container ${containerNameOf(work)} in pod ${name}`);
  }
  return restartAt;
}

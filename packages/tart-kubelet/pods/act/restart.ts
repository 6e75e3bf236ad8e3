import { formatDuration } from '@minifleet/clock';
import { crashesAfter, restartDelay } from '../decide/delays.ts';
import { imageChanged } from '../decide/last-run.ts';
import { isReplaced, look, type Sight } from '../observe.ts';
import { containerNameOf, type Work } from '../pod-context.ts';
import { startWait, type Wait } from '../pod-state.ts';
import { report } from '../report.ts';
import { removeGuests } from './finish.ts';
import { launch } from './launch.ts';

/** Runs the Pod again after its back-off. The end of the run before is on the server before its VM and its record go. */
export async function restart(work: Work, sight: Sight): Promise<void> {
  const { life } = work;
  const { run } = sight;
  if (!run?.exit) return;
  life.tending?.end();
  // A start that failed is tried again at its time; until then the reason stays in sight.
  if (life.retry && !life.retry.wait.over) return;
  const replaced = isReplaced(life, run) || imageChanged(life.pod, run.guest);
  if (replaced) forgiveCrashes(work);
  else if (!countCrash(work, run.attempt, run.exit).over) return;
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

/** Another image has not crashed yet. While it is on its way the old one's end shows as the wait for it. */
function forgiveCrashes({ life }: Work): void {
  life.crashes?.wait.cancel();
  life.crashes = undefined;
  life.waiting = { reason: 'ContainerCreating', message: 'The image was changed' };
}

/** Once per run: says when the next may begin. */
function countCrash(work: Work, attempt: number, exit: Exit): Wait {
  const { life, around } = work;
  if (life.crashes?.attempt === attempt) return life.crashes.wait;
  const count = crashesAfter(life.crashes?.count ?? 0, exit);
  const delay = restartDelay(count);
  const wait = startWait(around.clock, delay, () => work.wake());
  life.crashes = { attempt, count, wait };
  if (delay > 0) {
    const { name, namespace } = life.pod?.metadata ?? { name: '' };
    const what = `container=${containerNameOf(work)} pod=${name}_${namespace}(${life.uid})`;
    life.waiting = {
      reason: 'CrashLoopBackOff',
      message: `back-off ${formatDuration(delay)} restarting failed ${what}`,
    };
    work.say('Warning', 'BackOff', `Back-off restarting failed container ${containerNameOf(work)} in pod ${name}`);
  }
  return wait;
}

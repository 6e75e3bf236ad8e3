import { explainExit, lastRun, type Run } from './decide/last-run.ts';
import { type Desired, desired, type Observed, observed } from './decide/pod-table.ts';
import type { Work } from './pod-context.ts';
import type { Life } from './pod-state.ts';

/** What is asked for and what is there, at one moment. */
export interface Sight {
  readonly desired: Desired;
  readonly observed: Observed;
  readonly run: Run | undefined;
}

export function look({ life, around }: Work): Sight {
  const pod = life.gone ? undefined : life.pod;
  const guests = around.guests.all().filter(({ spec }) => spec.id.uid === life.uid);
  const run = explained(life, lastRun(pod, guests, around.clock.now()));
  return {
    desired: desired({ pod, exit: run?.exit, ending: life.ending, replaced: isReplaced(life, run) }),
    observed: observed({
      run,
      launching: life.launch !== undefined,
      condemned: run !== undefined && life.condemned?.attempt === run.attempt,
    }),
    run,
  };
}

/** Stopped for another image: it is followed by a run of that one, whatever the restart policy says. */
export const isReplaced = ({ condemned }: Life, run: Run | undefined): boolean =>
  run !== undefined && condemned?.attempt === run.attempt && condemned.because === 'its image was changed';

/** What the guest's own record cannot know: that it was stopped for failing, and what its log said last. */
function explained({ condemned, termination }: Life, run: Run | undefined): Run | undefined {
  if (!run?.exit) return run;
  const failed = condemned?.attempt === run.attempt && condemned.because === 'a probe or hook failed';
  const tail = termination?.attempt === run.attempt ? termination.tail : undefined;
  return { ...run, exit: explainExit(run.exit, { condemned: failed, tail }) };
}

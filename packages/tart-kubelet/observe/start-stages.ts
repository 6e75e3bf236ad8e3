import type { Clock } from '@minifleet/clock';

/** Stages of a Pod from bound to Running, each named by its end. Some Pods skip some stages. */
export const START_STAGES = ['admitted', 'image', 'slot', 'clone', 'boot', 'running'] as const;

type StartStage = (typeof START_STAGES)[number];

export interface StageTime {
  readonly stage: StartStage | 'total';
  readonly seconds: number;
}

/** Time at which a Pod was bound, and at which it reached each stage. */
interface StartMarks {
  readonly boundAt: number;
  readonly reached: Readonly<Partial<Record<StartStage, number>>>;
}

/** Duration of each stage since the previous one. If the clock was set back, the duration is 0. */
export function stageTimes({ boundAt, reached }: StartMarks): StageTime[] {
  const inOrder = START_STAGES.flatMap(stage => {
    const at = reached[stage];
    return at === undefined ? [] : [{ stage, at: Math.max(boundAt, at) }];
  }).toSorted((one, other) => one.at - other.at);
  const times = inOrder.map(({ stage, at }, index) => {
    const from = inOrder[index - 1]?.at ?? boundAt;
    return { stage, seconds: (at - from) / 1_000 };
  });
  const end = inOrder.at(-1)?.at ?? boundAt;
  return [...times, { stage: 'total', seconds: (end - boundAt) / 1_000 }];
}

/** Tracks starting Pods until they are Running or deleted. */
interface StartWatch {
  bound(uid: string): void;
  /** The first time counts. */
  reached(uid: string, stage: StartStage): void;
  gone(uid: string): void;
}

/** Only Pods that the agent observed from the beginning are measured; a Pod found running after a restart has a wrong start time. */
export function watchStarts(clock: Clock, report: (times: readonly StageTime[]) => void): StartWatch {
  const pods = new Map<string, { boundAt: number; reached: Partial<Record<StartStage, number>> }>();
  return {
    bound(uid) {
      if (!pods.has(uid)) pods.set(uid, { boundAt: clock.now(), reached: {} });
    },
    reached(uid, stage) {
      const marks = pods.get(uid);
      if (!marks) return;
      marks.reached[stage] ??= clock.now();
      if (stage !== 'running') return;
      report(stageTimes(marks));
      pods.delete(uid);
    },
    gone: uid => void pods.delete(uid),
  };
}

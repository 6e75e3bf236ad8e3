import type { Clock } from '@minifleet/clock';

/** The way of a Pod from being bound to Running. Each is the end of a stage; some Pods skip some. */
export const START_STAGES = ['admitted', 'image', 'slot', 'clone', 'boot', 'running'] as const;

export type StartStage = (typeof START_STAGES)[number];

export interface StageTime {
  readonly stage: StartStage | 'total';
  readonly seconds: number;
}

/** When a Pod was bound, and when it reached what. */
export interface StartMarks {
  readonly boundAt: number;
  readonly reached: Readonly<Partial<Record<StartStage, number>>>;
}

/** How long each stage took, from the one that was reached before it. A clock that was set back counts as no time. */
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

/** Follows Pods on their way; one that is Running, or gone, is forgotten. */
export interface StartWatch {
  bound(uid: string): void;
  /** The first time counts. */
  reached(uid: string, stage: StartStage): void;
  gone(uid: string): void;
}

/** Only Pods seen from their beginning are followed: one that was found running after a restart would tell a lie. */
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

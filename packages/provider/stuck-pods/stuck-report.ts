import { type StuckCause, type StuckPodDecision, stuckCauses } from '@minifleet/api';
import { keyString, type ObjectKey } from '@minifleet/kube';

/** Terminating Pods of Minifleet, for metrics. */
export interface StuckReport {
  /** Terminating within the grace period. */
  readonly terminating: number;
  /** Stuck Pods by cause; contains all causes, so that gauges return to 0. */
  readonly stuck: Readonly<Record<StuckCause, number>>;
  /** Pods that this process has released. */
  readonly released: number;
}

/** Stores the last decision for each Pod, and counts. */
export interface StuckTally {
  note(key: ObjectKey, verdict: StuckPodDecision): void;
  forget(key: ObjectKey): void;
  countRelease(): void;
  /** True if this cause was already reported for the Pod. */
  isKnown(key: ObjectKey, cause: StuckCause): boolean;
  report(): StuckReport;
}

export function createStuckTally(): StuckTally {
  const verdicts = new Map<string, StuckPodDecision>();
  let released = 0;
  return {
    note: (key, verdict) => void verdicts.set(keyString(key), verdict),
    forget: key => void verdicts.delete(keyString(key)),
    countRelease() {
      released += 1;
    },
    isKnown(key, cause) {
      const last = verdicts.get(keyString(key));
      return last?.kind === 'stuck' && last.cause === cause;
    },
    report() {
      const all = [...verdicts.values()];
      const causes = Object.keys(stuckCauses) as StuckCause[];
      const count = (cause: StuckCause): number =>
        all.filter(verdict => verdict.kind === 'stuck' && verdict.cause === cause).length;
      return {
        terminating: all.filter(({ kind }) => kind !== 'stuck').length,
        stuck: Object.fromEntries(causes.map(cause => [cause, count(cause)])) as StuckReport['stuck'],
        released,
      };
    },
  };
}

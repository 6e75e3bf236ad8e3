import { type StuckCause, type StuckPodDecision, stuckCauses } from '@minifleet/api';
import { keyString, type ObjectKey } from '@minifleet/kube';

/** Pods of ours that are being deleted, for metrics and people. */
export interface StuckReport {
  /** Being deleted and within their time. */
  readonly terminating: number;
  /** Beyond it, by cause; every cause is there, so that a gauge falls back to 0. */
  readonly stuck: Readonly<Record<StuckCause, number>>;
  /** How many this process has released since it began. */
  readonly released: number;
}

/** Keeps the last verdict on each Pod, and counts. */
export interface StuckTally {
  note(key: ObjectKey, verdict: StuckPodDecision): void;
  forget(key: ObjectKey): void;
  countRelease(): void;
  /** Whether this cause was the last verdict already: it is told once. */
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

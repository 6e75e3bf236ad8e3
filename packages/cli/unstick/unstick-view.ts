import { type JudgedPod, keepReasons, releaseReasons, type StuckPodDecision, stuckCauses } from '@minifleet/api';
import { formatDuration, milliseconds } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import { nameOf } from '../cluster/machines.ts';
import type { Paint } from '../terminal/paint.ts';
import { renderTable, type TableRow } from '../terminal/table.ts';

interface UnstickTableLayout {
  readonly paint: Paint;
  readonly width: number;
  readonly now: number;
}

/** Renders one row for each held Pod with the decision and its reason. */
export function podsTable(judged: readonly JudgedPod<Pod>[], { paint, width, now }: UnstickTableLayout): string {
  const rows = judged.map(({ pod, verdict }): TableRow => {
    const { word, colour, why } = shown(verdict);
    const since = Date.parse(pod.metadata.deletionTimestamp ?? '');
    return {
      cells: [
        { text: nameOf(pod) },
        { text: pod.spec?.nodeName ?? '' },
        { text: formatDuration(milliseconds(Math.max(0, now - since))) },
        { text: word, paint: paint[colour] },
      ],
      paragraphs: [why],
    };
  });
  return renderTable({ titles: ['POD', 'NODE', 'OVERDUE', 'ACTION', 'REASON'], rows, width });
}

function shown(verdict: StuckPodDecision): {
  readonly word: string;
  readonly colour: keyof Paint;
  readonly why: string;
} {
  switch (verdict.kind) {
    case 'release':
      return { word: 'release', colour: 'good', why: releaseReasons[verdict.why] };
    case 'keep':
      return { word: 'wait', colour: 'quiet', why: keepReasons[verdict.why] };
    case 'stuck':
      return { word: 'stuck', colour: 'bad', why: stuckCauses[verdict.cause] };
  }
}

export const podCount = (count: number): string => (count === 1 ? '1 Pod' : `${count} Pods`);

import type { EventNote, Node } from '@minifleet/kube';
import { OWN_CONDITIONS, type OwnCondition } from './node-conditions.ts';
import { findingsOf } from './status-patch.ts';

/** The status under which a condition is a worry. */
const worryWhen = (type: OwnCondition): 'True' | 'False' => (type.endsWith('Pressure') ? 'True' : 'False');

/** One event for each condition that became a worry, or stopped being one; none for the first report of a new Node. */
export function conditionEvents(before: Node | undefined, after: Node): EventNote[] {
  const [was, is] = [findingsOf(before), findingsOf(after)];
  return OWN_CONDITIONS.flatMap(type => {
    const [old, now] = [was[type], is[type]];
    if (!old || !now || old.status === now.status || now.status === 'Unknown') return [];
    const worry = now.status === worryWhen(type);
    if (!worry && old.status === 'Unknown') return [];
    const reason = type === 'Ready' ? (worry ? 'NodeNotReady' : 'NodeReady') : now.reason;
    const note = `${type} is ${now.status}: ${now.message}`;
    return [{ regarding: after, type: worry ? 'Warning' : 'Normal', reason, action: 'ReportStatus', note }];
  });
}

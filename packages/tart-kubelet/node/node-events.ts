import type { EventNote, Node } from '@minifleet/kube';
import type { Finding } from './finding.ts';
import { OWN_CONDITIONS, type OwnCondition } from './node-conditions.ts';
import { findingsOf } from './status-patch.ts';

/** The status under which a condition is a worry. */
const worryWhen = (type: OwnCondition): 'True' | 'False' =>
  type.endsWith('Pressure') || type === 'ForeignVMs' ? 'True' : 'False';

/** What happened between two reports; nothing for the first report of a new Node. */
export const statusEvents = (before: Node | undefined, after: Node): EventNote[] => [
  ...rebootEvents(before, after),
  ...conditionEvents(before, after),
];

/** In the words of a kubelet. */
function rebootEvents(before: Node | undefined, after: Node): EventNote[] {
  const [was, is] = [before?.status?.nodeInfo?.bootID, after.status?.nodeInfo?.bootID];
  if (!was || !is || was === is) return [];
  const note = `Node ${after.metadata.name} has been rebooted, boot id: ${is}`;
  return [{ regarding: after, type: 'Warning', reason: 'Rebooted', action: 'ReportStatus', note }];
}

/** One event for each condition that became a worry, is one for another reason, or is none any more. */
function conditionEvents(before: Node | undefined, after: Node): EventNote[] {
  const [was, is] = [findingsOf(before), findingsOf(after)];
  return OWN_CONDITIONS.flatMap(type => {
    const [old, now] = [was[type], is[type]];
    if (!old || !now) return [];
    const worry = now.status === worryWhen(type);
    if (!worthTelling(old, now, worry)) return [];
    const reason = type === 'Ready' ? (worry ? 'NodeNotReady' : 'NodeReady') : now.reason;
    const note = `${type} is ${now.status}: ${now.message}`;
    return [{ regarding: after, type: worry ? 'Warning' : 'Normal', reason, action: 'ReportStatus', note }];
  });
}

function worthTelling(old: Finding, now: Finding, worry: boolean): boolean {
  if (now.status === 'Unknown') return false;
  if (worry) return old.status !== now.status || old.reason !== now.reason;
  return old.status !== now.status && old.status !== 'Unknown';
}

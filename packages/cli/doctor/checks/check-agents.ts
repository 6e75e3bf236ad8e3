import { agentOf, names } from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

/** Compares the agent versions that the Nodes report in a label. */
export function checkAgents({ nodes }: ClusterSnapshot): Diagnosis[] {
  const ours = nodes.items.filter(node => agentOf(node) === 'ours');
  const older = nodes.items.filter(node => agentOf(node) === 'older');
  const newest = ours.map(versionOf).toSorted(byVersion).at(-1) ?? '';
  const behind = ours.filter(node => versionOf(node) !== newest);
  const ok = ours.length === 0 ? 'no Mac is a Node yet' : `${counted(ours.length, 'agent')}, all ${newest}`;
  return toDiagnoses({
    check: 'agents',
    ok,
    unreadable: [nodes.unreadable],
    findings: [...behind.map(node => behindFinding(node, newest)), ...older.map(olderFinding)],
  });
}

const versionOf = ({ metadata }: Node): string => metadata.labels?.[names.labels.agentVersion] ?? '';

/** 0.10.0 is newer than 0.9.1. */
const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

const behindFinding = (node: Node, newest: string): DoctorFinding => ({
  what: `Node ${node.metadata.name} runs agent ${versionOf(node)}, other Nodes ${newest}`,
  impact: 'a rollout is in progress or has stopped; Pods behave differently from host to host',
  fix: `minifleet plan --fleet ${node.metadata.labels?.[names.labels.fleet] ?? '<fleet>'}`,
});

const olderFinding = (node: Node): DoctorFinding => ({
  what: `Node ${node.metadata.name} runs the agent of the older system`,
  impact: 'it adds finalizers to Pods that no other program removes',
  fix: `minifleet plan --fleet ${node.metadata.labels?.[names.labels.fleet] ?? '<fleet>'}`,
});

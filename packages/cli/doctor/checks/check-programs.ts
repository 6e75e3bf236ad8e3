import { agentOf, names } from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

const RUNBOOKS: Readonly<Record<string, string>> = {
  'minifleet-provider': 'docs/runbooks/provider-down.md',
  'minifleet-runners': 'docs/runbooks/runners-controller-down.md',
};

/** Checks the programs that run as Deployments. A program started outside the cluster is not visible here. */
export function checkPrograms({ programs }: ClusterSnapshot): Diagnosis[] {
  const findings = programs.items.flatMap(({ metadata, spec, status }): DoctorFinding[] => {
    const { name, namespace } = metadata;
    if ((spec?.replicas ?? 1) > 0 && (status?.readyReplicas ?? 0) > 0) return [];
    const what =
      spec?.replicas === 0 ? `${namespace}/${name} is scaled to 0` : `no Pod of ${namespace}/${name} is Ready`;
    const describe = `kubectl describe deployment ${name} -n ${namespace}`;
    const runbook = RUNBOOKS[name];
    return [
      {
        what,
        impact: 'the objects that it manages are not reconciled',
        fix: runbook === undefined ? describe : `${describe}; see ${runbook}`,
      },
    ];
  });
  const programNames = programs.items.map(({ metadata }) => metadata.name);
  const ok = programNames.length === 0 ? 'no Deployment in this cluster' : `Ready: ${programNames.join(', ')}`;
  return toDiagnoses({ check: 'programs', ok, unreadable: [programs.unreadable], findings });
}

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

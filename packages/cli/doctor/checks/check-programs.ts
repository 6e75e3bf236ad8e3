import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { type DoctorFinding, toDiagnoses } from '../finding.ts';

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
  const names = programs.items.map(({ metadata }) => metadata.name);
  const ok = names.length === 0 ? 'no Deployment in this cluster' : `Ready: ${names.join(', ')}`;
  return toDiagnoses({ check: 'programs', ok, unreadable: [programs.unreadable], findings });
}

import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { type DoctorFinding, toDiagnoses } from '../finding.ts';

const RUNBOOKS: Readonly<Record<string, string>> = {
  'minifleet-provider': 'docs/runbooks/provider-down.md',
  'minifleet-runners': 'docs/runbooks/runners-controller-down.md',
};

/** Programs that run as Deployments; one that somebody starts elsewhere is not seen from here. */
export function checkPrograms({ programs }: ClusterSnapshot): Diagnosis[] {
  const findings = programs.items.flatMap(({ metadata, spec, status }): DoctorFinding[] => {
    const { name, namespace } = metadata;
    if ((spec?.replicas ?? 1) > 0 && (status?.readyReplicas ?? 0) > 0) return [];
    const what =
      spec?.replicas === 0 ? `${namespace}/${name} is scaled to 0` : `no Pod of ${namespace}/${name} is Ready`;
    const look = `kubectl describe deployment ${name} -n ${namespace}`;
    const runbook = RUNBOOKS[name];
    return [
      {
        what,
        matters: 'what it looks after stays as it is',
        fix: runbook === undefined ? look : `${look}; see ${runbook}`,
      },
    ];
  });
  const names = programs.items.map(({ metadata }) => metadata.name);
  const well = names.length === 0 ? 'none runs as a Deployment here' : `Ready: ${names.join(', ')}`;
  return toDiagnoses({ check: 'programs', well, unreadable: [programs.unreadable], findings });
}

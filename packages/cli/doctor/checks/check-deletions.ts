import { type JudgedPod, planUnstick, releaseReasons, stuckCauses } from '@minifleet/api';
import { formatDuration, milliseconds, minutes } from '@minifleet/clock';
import { type Conditioned, deleting, type KubeObject, type Node, type Pod } from '@minifleet/kube';
import { conditionText, nameOf } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { PodRelease } from '../../unstick/release-pod.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { type DoctorFinding, toDiagnoses } from '../finding.ts';

const POD_TIMEOUT = minutes(10);
/** Includes the reinstallation of the host before it returns to the pool. */
const OBJECT_TIMEOUT = minutes(60);

/** Reports deletions that do not finish. */
export function checkDeletions(snapshot: ClusterSnapshot): Diagnosis[] {
  const { machines, hosts, pools, pods, nodes } = snapshot;
  const objects = [...machines.items, ...hosts.items, ...pools.items];
  return toDiagnoses({
    check: 'deletions',
    ok: 'none stuck',
    unreadable: [machines, hosts, pools, pods, nodes].map(({ unreadable }) => unreadable),
    findings: [
      ...judgedPods(snapshot).flatMap(podFinding),
      ...objects.flatMap(object => objectFinding(object, snapshot.now)),
    ],
  });
}

const judgedPods = ({ pods, nodes, now }: ClusterSnapshot): JudgedPod<Pod>[] =>
  planUnstick<Pod, Node>({ pods: pods.items, nodes: nodes.items, now, stuckAfter: POD_TIMEOUT });

/** Lists Pods that provably run no VM, which `--fix` releases. Without permission to list Nodes, no Node counts as deleted. */
export function releasable(snapshot: ClusterSnapshot): PodRelease[] {
  if (snapshot.nodes.unreadable !== undefined) return [];
  return judgedPods(snapshot).flatMap(({ pod, verdict }) =>
    verdict.kind === 'release' ? [{ pod, why: verdict.why }] : [],
  );
}

function podFinding({ pod, verdict }: JudgedPod<Pod>): DoctorFinding[] {
  const impact = 'it may hold one of the two VM slots of its Mac';
  const what = `Pod ${nameOf(pod)} is held by a finalizer`;
  switch (verdict.kind) {
    case 'keep':
      return [];
    case 'release':
      return [{ what: `${what}: ${releaseReasons[verdict.why]}`, impact, fix: 'minifleet doctor --fix' }];
    case 'stuck':
      return [
        {
          what: `Pod ${nameOf(pod)} is not deleted: ${stuckCauses[verdict.cause]}`,
          impact,
          fix: 'docs/runbooks/pods-stuck-terminating.md',
        },
      ];
  }
}

function objectFinding(object: KubeObject & Conditioned, now: number): DoctorFinding[] {
  const since = now - Date.parse(object.metadata.deletionTimestamp ?? '');
  if (!deleting(object) || since < OBJECT_TIMEOUT) return [];
  const why = conditionText(object, 'Deleting', 'True') ?? `held by ${(object.metadata.finalizers ?? []).join(', ')}`;
  return [
    {
      what: `${object.kind} ${nameOf(object)} has been deleting for ${formatDuration(milliseconds(since))}: ${why}`,
      impact: 'its host is neither used nor free',
      fix: 'docs/runbooks/machine-stuck.md; never remove the finalizer by hand while the host is claimed',
    },
  ];
}

import { type Judged, planUnstick, releaseReasons, stuckCauses } from '@minifleet/api';
import { formatDuration, milliseconds, minutes } from '@minifleet/clock';
import { type Conditioned, deleting, type KubeObject, type Node, type Pod } from '@minifleet/kube';
import { conditionText, nameOf } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { PodRelease } from '../../unstick/release-pod.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { type DoctorFinding, toDiagnoses } from '../finding.ts';

const POD_PATIENCE = minutes(10);
/** A host is wiped and reinstalled on its way back to the pool. */
const OBJECT_PATIENCE = minutes(60);

/** What is being deleted and does not go. */
export function checkDeletions(seen: ClusterSnapshot): Diagnosis[] {
  const { machines, claims, pools, pods, nodes } = seen;
  const objects = [...machines.items, ...claims.items, ...pools.items];
  return toDiagnoses({
    check: 'deletions',
    well: 'none hangs',
    unreadable: [machines, claims, pools, pods, nodes].map(({ unreadable }) => unreadable),
    findings: [...judgedPods(seen).flatMap(podFinding), ...objects.flatMap(object => objectFinding(object, seen.now))],
  });
}

const judgedPods = ({ pods, nodes, now }: ClusterSnapshot): Judged<Pod>[] =>
  planUnstick<Pod, Node>({ pods: pods.items, nodes: nodes.items, now, stuckAfter: POD_PATIENCE });

/** Pods of which it is known that no VM runs: what `--fix` may let go of. A Node that we may not see is not one that is gone. */
export function releasable(seen: ClusterSnapshot): PodRelease[] {
  if (seen.nodes.unreadable !== undefined) return [];
  return judgedPods(seen).flatMap(({ pod, verdict }) =>
    verdict.kind === 'release' ? [{ pod, why: verdict.why }] : [],
  );
}

function podFinding({ pod, verdict }: Judged<Pod>): DoctorFinding[] {
  const matters = 'it may hold one of the two VM slots of its Mac';
  const what = `Pod ${nameOf(pod)} is held by a finalizer`;
  switch (verdict.kind) {
    case 'keep':
      return [];
    case 'release':
      return [{ what: `${what}: ${releaseReasons[verdict.why]}`, matters, fix: 'minifleet doctor --fix' }];
    case 'stuck':
      return [
        {
          what: `Pod ${nameOf(pod)} is not gone: ${stuckCauses[verdict.cause]}`,
          matters,
          fix: 'docs/runbooks/pods-stuck-terminating.md',
        },
      ];
  }
}

function objectFinding(object: KubeObject & Conditioned, now: number): DoctorFinding[] {
  const since = now - Date.parse(object.metadata.deletionTimestamp ?? '');
  if (!deleting(object) || since < OBJECT_PATIENCE) return [];
  const why = conditionText(object, 'Deleting', 'True') ?? `held by ${(object.metadata.finalizers ?? []).join(', ')}`;
  return [
    {
      what: `${object.kind} ${nameOf(object)} is being deleted for ${formatDuration(milliseconds(since))}: ${why}`,
      matters: 'its host is in use by nobody and free for nobody',
      fix: 'docs/runbooks/machine-stuck.md; never take the finalizer off by hand while its host is claimed',
    },
  ];
}

import { type Judged, planUnstick, releaseReasons, stuckCauses } from '@minifleet/api';
import { formatDuration, milliseconds, minutes } from '@minifleet/clock';
import { type Conditioned, deleting, type KubeObject, type Node, type Pod } from '@minifleet/kube';
import { nameOf, saying } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { Release } from '../../unstick/release-pod.ts';
import type { ClusterSeen } from '../cluster-seen.ts';
import { diagnosed, type Finding } from '../finding.ts';

const POD_PATIENCE = minutes(10);
/** A host is wiped and reinstalled on its way back to the pool. */
const OBJECT_PATIENCE = minutes(60);

/** What is being deleted and does not go. */
export function checkStuck(seen: ClusterSeen): Diagnosis[] {
  const { machines, claims, pools, pods, nodes } = seen;
  const objects = [...machines.items, ...claims.items, ...pools.items];
  return diagnosed({
    check: 'deletions',
    well: 'none hangs',
    unseen: [machines, claims, pools, pods, nodes].map(({ unseen }) => unseen),
    findings: [...judgedPods(seen).flatMap(podFinding), ...objects.flatMap(object => objectFinding(object, seen.now))],
  });
}

const judgedPods = ({ pods, nodes, now }: ClusterSeen): Judged<Pod>[] =>
  planUnstick<Pod, Node>({ pods: pods.items, nodes: nodes.items, now, stuckAfter: POD_PATIENCE });

/** Pods of which it is known that no VM runs: what `--fix` may let go of. A Node that we may not see is not one that is gone. */
export function releasable(seen: ClusterSeen): Release[] {
  if (seen.nodes.unseen !== undefined) return [];
  return judgedPods(seen).flatMap(({ pod, verdict }) =>
    verdict.kind === 'release' ? [{ pod, why: verdict.why }] : [],
  );
}

function podFinding({ pod, verdict }: Judged<Pod>): Finding[] {
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

function objectFinding(object: KubeObject & Conditioned, now: number): Finding[] {
  const since = now - Date.parse(object.metadata.deletionTimestamp ?? '');
  if (!deleting(object) || since < OBJECT_PATIENCE) return [];
  const why = saying(object, 'Deleting', 'True') ?? `held by ${(object.metadata.finalizers ?? []).join(', ')}`;
  return [
    {
      what: `${object.kind} ${nameOf(object)} is being deleted for ${formatDuration(milliseconds(since))}: ${why}`,
      matters: 'its host is in use by nobody and free for nobody',
      fix: 'docs/runbooks/machine-stuck.md; never take the finalizer off by hand while its host is claimed',
    },
  ];
}

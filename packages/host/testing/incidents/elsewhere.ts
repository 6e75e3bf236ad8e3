/** An incident that is no host's: where it is done our way instead. */
interface Elsewhere {
  readonly id: string;
  readonly where: string;
}

const belongTo = (where: string, ...ids: readonly string[]): readonly Elsewhere[] => ids.map(id => ({ id, where }));

/** Incidents of the world’s list that no step of a host can answer: the tests that do, or what they wait for. */
export const elsewhere: readonly Elsewhere[] = [
  ...belongTo('packages/cli/detach/detach.incident.test.ts, packages/provider/machines/read-scope.test.ts', 'I11'),
  ...belongTo('packages/provider/claims/release-host.test.ts', 'I12', 'I31'),
  ...belongTo('packages/provider/claims/claims.cluster.test.ts, rediscover-claim.test.ts', 'I13'),
  ...belongTo('packages/provider/sweep/sweep.test.ts', 'I22'),
  ...belongTo('packages/vendors/scaleway/scaleway-rights.contract.test.ts', 'I23'),
  ...belongTo('packages/tart-kubelet/gc/collector.contract.test.ts, guests/recover.contract.test.ts', 'I28'),
  ...belongTo(
    'packages/tart-kubelet/testing/faults/kill-table.cluster.test.ts, guests/kill-table.contract.test.ts',
    'I38',
  ),
  ...belongTo('packages/tart-kubelet/guests/guests.contract.test.ts, pods/restart.test.ts', 'I40'),
  ...belongTo('images/push.contract.test.ts, images/workflows.test.ts', 'I25'),
  ...belongTo('open in part: docs/incidents/I30-bake-in-a-pod.md', 'I30'),
];

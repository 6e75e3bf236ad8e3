/** An incident that is no host's: where it is done our way instead. */
export interface Elsewhere {
  readonly id: string;
  readonly where: string;
}

const belongTo = (where: string, ...ids: readonly string[]): readonly Elsewhere[] => ids.map(id => ({ id, where }));

/** Incidents of the world’s list that no step of a host can answer: the tests that do, or what they wait for. */
export const elsewhere: readonly Elsewhere[] = [
  ...belongTo('comes with the provider (5/7)', 'I11', 'I12', 'I13', 'I22', 'I23', 'I31'),
  ...belongTo('packages/tart-kubelet/gc/collector.contract.test.ts, guests/recover.contract.test.ts', 'I28'),
  ...belongTo('packages/tart-kubelet/faults/kill-table.cluster.test.ts, guests/kill-table.contract.test.ts', 'I38'),
  ...belongTo('packages/tart-kubelet/guests/guests.contract.test.ts, pods/restart.test.ts', 'I40'),
  ...belongTo('comes with runners and builders (6/7)', 'I25', 'I30'),
];

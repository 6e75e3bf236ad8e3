/** An incident that is no host's: where it is done our way instead. */
export interface Elsewhere {
  readonly id: string;
  readonly where: string;
}

const belongTo = (where: string, ...ids: readonly string[]): readonly Elsewhere[] => ids.map(id => ({ id, where }));

/** Incidents of the world’s list that no step of a host can answer. They are not run here: nothing of ours does them yet. */
export const elsewhere: readonly Elsewhere[] = [
  ...belongTo('comes with the provider (5/7)', 'I11', 'I12', 'I13', 'I22', 'I23', 'I31'),
  ...belongTo('comes with the node agent (4/7)', 'I28', 'I38', 'I40'),
  ...belongTo('comes with runners and builders (6/7)', 'I25', 'I30'),
];

/** What can be explained, and what else each is called: by us in the plural, by kubectl, and in what `-o name` prints. */
const CALLED = {
  host: ['hosts', 'samm', 'scalewayapplesiliconmachine', 'scalewayapplesiliconmachines', 'node', 'nodes'],
  fleet: ['fleets', 'md', 'machinedeployment', 'machinedeployments'],
  claim: ['claims', 'hclaim', 'hostclaim', 'hostclaims'],
  guest: ['guests', 'pod', 'pods', 'po', 'runner', 'runners'],
  runnerpool: ['runnerpools', 'rpool'],
} as const;

export type ExplainedKind = keyof typeof CALLED;

export const EXPLAINED_KINDS = Object.keys(CALLED) as readonly ExplainedKind[];

/** Of `pods`, `samm` or `hostclaims.infrastructure.cluster.x-k8s.io`; undefined when it is none of them. */
export function kindOf(text: string): ExplainedKind | undefined {
  const [word = ''] = text.split('.');
  return EXPLAINED_KINDS.find(kind => kind === word || CALLED[kind].some(other => other === word));
}

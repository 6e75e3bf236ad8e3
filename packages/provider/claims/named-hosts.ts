import type { ScalewayAppleSiliconMachine } from '@minifleet/api';

/** Every server id a machine names, in the order of trust: ours, what core reads, what the older system recorded. */
export function hostsNamedBy({
  spec,
  status,
}: Pick<ScalewayAppleSiliconMachine, 'spec' | 'status'>): readonly string[] {
  const named = [spec.claimRef?.name, spec.providerID?.split('/').at(-1), status?.serverID];
  return [...new Set(named.flatMap(id => (id ? [id.toLowerCase()] : [])))];
}

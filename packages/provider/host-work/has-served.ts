import { names, type ScalewayAppleSiliconMachine } from '@minifleet/api';

const { served } = names.annotations;

/** Whether the machine's host has been as wanted once, here or in the cluster that the machine was moved from. */
export const hasServed = ({ metadata, spec }: ScalewayAppleSiliconMachine): boolean =>
  spec.claimRef !== undefined && metadata.annotations?.[served] === spec.claimRef.name;

export function noteServed(samm: ScalewayAppleSiliconMachine): void {
  const host = samm.spec.claimRef?.name;
  if (host === undefined || hasServed(samm)) return;
  samm.metadata.annotations = { ...samm.metadata.annotations, [served]: host };
}

export function forgetServed({ metadata }: ScalewayAppleSiliconMachine): void {
  if (metadata.annotations?.[served] === undefined) return;
  const { [served]: _host, ...others } = metadata.annotations;
  metadata.annotations = others;
}

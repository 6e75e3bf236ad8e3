import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { isConditionTrue } from '@minifleet/kube';
import type { Breakage } from './breakage.ts';
import { HOST_NOT_STRUCK } from './errors.ts';

export interface Choice {
  readonly breakage: Pick<Breakage, 'id' | 'fleets'>;
  readonly machines: readonly ScalewayAppleSiliconMachine[];
  /** By the name of its machine. */
  readonly wanted: string | undefined;
  /** Names of those that something is being done to already. */
  readonly struck: ReadonlySet<string>;
}

/** The host that is named, or the first that serves in a fleet where it can happen and is left alone so far. */
export function chooseHost({ breakage, machines, wanted, struck }: Choice): ScalewayAppleSiliconMachine {
  const fit = machines
    .filter(({ spec }) => breakage.fleets.some(fleet => fleet === spec.fleetName))
    .filter(({ metadata }) => !struck.has(metadata.name));
  const chosen = fit.find(samm => (wanted === undefined ? serves(samm) : samm.metadata.name === wanted));
  if (chosen) return chosen;
  throw HOST_NOT_STRUCK({
    incident: breakage.id,
    fleets: `hosts of ${breakage.fleets.join(', ')}`,
    host: whyNone(wanted, struck),
    found: fit.map(({ metadata }) => metadata.name).join(', ') || 'none',
  });
}

/** A new host is Ready as soon as its Node is, and its first run goes on for a minute: what is done to it then is found only afterwards. */
const serves = (samm: ScalewayAppleSiliconMachine): boolean =>
  isConditionTrue(samm, 'Ready') && samm.status?.job === undefined;

function whyNone(wanted: string | undefined, struck: ReadonlySet<string>): string {
  if (wanted === undefined) return 'none of them is Ready and left alone so far';
  if (struck.has(wanted)) return `something is being done to ${wanted} already (minifleet mend ${wanted} ends it)`;
  return `${wanted} is none of them`;
}

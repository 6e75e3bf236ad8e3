import { names, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { deleting, isConditionTrue } from '@minifleet/kube';
import type { MachineIndex } from '../../machines/machine-indexes.ts';
import type { MachineParts } from '../../machines/parts.ts';
import type { HostWork } from '../host-work.ts';
import { isOver, uidOf } from '../job-entry.ts';
import { isFailing, isOfTheHost, OF_THE_HOST } from '../journal/journal.ts';
import { waveOf } from '../wanted-spec.ts';
import type { FleetHost } from './roll-permission.ts';

type Fleet = readonly ScalewayAppleSiliconMachine[];

const BY_FLEET: MachineIndex = 'machine-fleet';

/**
 * The machines of a fleet that take part in rolls. A machine without a fleet is one alone. Who has to wait among those that the watch
 * has shown may wait: in a roll nearly all do, again and again, and a list has all of them. Who may go is shown what the API server
 * has now.
 */
export async function readFleet(
  samm: ScalewayAppleSiliconMachine,
  { client, machines }: Pick<MachineParts, 'client' | 'machines'>,
  mayGo: (fleet: Fleet) => boolean,
): Promise<Fleet> {
  const { fleetName } = samm.spec;
  if (!fleetName) return [samm];
  const { namespace = '' } = samm.metadata;
  const takesPart = (one: ScalewayAppleSiliconMachine): boolean =>
    one.spec.fleetName === fleetName && !deleting(one) && !isPaused(one);
  const seen = machines?.by(BY_FLEET, `${namespace}/${fleetName}`).filter(takesPart);
  if (seen && !mayGo(seen)) return seen;
  const { items } = await client.list(scalewayAppleSiliconMachine.resource, { namespace });
  return items.filter(takesPart);
}

const isPaused = ({ metadata }: ScalewayAppleSiliconMachine): boolean =>
  metadata.annotations?.[names.clusterApi.pausedAnnotation] !== undefined;

/**
 * A machine of the fleet as a roll sees it. Whether it works is asked of this process as well: two passes that both read
 * the status before the other wrote would both go.
 */
export function fleetHost(samm: ScalewayAppleSiliconMachine, work: Pick<HostWork, 'of'>): FleetHost {
  const { plan = {}, steps = [], job } = samm.status ?? {};
  const here = work.of(uidOf(samm));
  const failing = steps.filter(isFailing);
  const nodeReady = isConditionTrue(samm, 'NodeReady');
  return {
    name: samm.metadata.name,
    desired: waveOf(plan.desired),
    applied: waveOf(plan.applied),
    failed: waveOf(plan.failed),
    // clusterctl move does not restore the status, and a moved host serves all the same.
    serves: plan.applied !== undefined || nodeReady,
    working: job !== undefined || (here?.kind === 'converge' && !isOver(here)),
    stuckAt: failing.find(step => !isOfTheHost(step))?.name,
    answers: !failing.some(({ name }) => name === OF_THE_HOST.host),
    nodeReady,
  };
}

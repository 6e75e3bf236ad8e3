import { names } from '@minifleet/api';
import { FLEET_NOT_FOUND } from '../cluster/errors.ts';
import { listMachines, placeOf, type Samm } from '../cluster/machines.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import { unlessStopped } from '../stop.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth } from '../terminal/table.ts';
import { wrap } from '../terminal/wrap.ts';
import { differs, fleetSummary, fleetTable } from './fleet-view.ts';
import { type HostStanding, standingOf } from './host-standing.ts';
import type { PlanFleetOptions } from './plan-command.ts';

/** Says host by host how a fleet stands against what is wanted of it, and touches nothing. */
export async function planFleet(options: PlanFleetOptions, around: CliContext): Promise<ExitCode> {
  const { fleet, namespace } = options;
  const all = await withCluster(options, around, client => unlessStopped(around, listMachines(client, namespace)));
  const hosts = all
    .filter(samm => fleetsOf(samm).includes(fleet))
    .map(standingOf)
    .toSorted((one, other) => one.machine.localeCompare(other.machine));
  if (hosts.length === 0) throw FLEET_NOT_FOUND({ name: fleet, where: placeOf(namespace), fleets: namesOf(all) });
  show(hosts, options, around);
  return hosts.some(differs) ? exitCode.differs : exitCode.done;
}

/** Its MachineDeployment, and what it calls its fleet itself. */
const fleetsOf = ({ metadata, spec }: Samm): string[] =>
  [metadata.labels?.[names.clusterApi.deploymentNameLabel], spec.fleetName].flatMap(name => name || []);

const namesOf = (all: readonly Samm[]): string => [...new Set(all.flatMap(fleetsOf))].toSorted().join(', ') || 'none';

function show(hosts: readonly HostStanding[], { fleet, output: format }: PlanFleetOptions, around: CliContext): void {
  const { output, colours } = around;
  const summary = fleetSummary(hosts);
  if (format === 'json') return void output.write(`${JSON.stringify({ fleet, hosts, summary }, undefined, 2)}\n`);
  const paint = paintFor(output, colours);
  const width = lineWidth(output);
  output.write(`${fleetTable(hosts, { paint, width })}\n${wrap(summary, width).map(paint.strong).join('\n')}\n`);
}

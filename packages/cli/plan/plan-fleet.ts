import { names } from '@minifleet/api';
import { FLEET_NOT_FOUND } from '../cluster/errors.ts';
import { inNamespace, listMachines, type ScalewayAppleSiliconMachine } from '../cluster/machines.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import { untilAborted } from '../stop.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth } from '../terminal/table.ts';
import { wrap } from '../terminal/wrap.ts';
import { differs, fleetSummary, fleetTable } from './fleet-view.ts';
import { type HostPlanStatus, planStatusOf } from './host-plan-status.ts';
import type { PlanFleetOptions } from './plan-command.ts';

/** Prints the difference between each host of a fleet and its desired plan. Read-only. */
export async function planFleet(options: PlanFleetOptions, context: CliContext): Promise<ExitCode> {
  const { fleet, namespace } = options;
  const all = await withCluster(options, context, client => untilAborted(context, listMachines(client, namespace)));
  const hosts = all
    .filter(machine => fleetsOf(machine).includes(fleet))
    .map(planStatusOf)
    .toSorted((one, other) => one.machine.localeCompare(other.machine));
  if (hosts.length === 0) throw FLEET_NOT_FOUND({ name: fleet, where: inNamespace(namespace), fleets: namesOf(all) });
  show(hosts, options, context);
  return hosts.some(differs) ? exitCode.differs : exitCode.done;
}

/** Lists the names of a machine's fleet: its MachineDeployment and its fleetName. */
const fleetsOf = ({ metadata, spec }: ScalewayAppleSiliconMachine): string[] =>
  [metadata.labels?.[names.clusterApi.deploymentNameLabel], spec.fleetName].flatMap(name => name || []);

const namesOf = (all: readonly ScalewayAppleSiliconMachine[]): string =>
  [...new Set(all.flatMap(fleetsOf))].toSorted().join(', ') || 'none';

function show(
  hosts: readonly HostPlanStatus[],
  { fleet, output: format }: PlanFleetOptions,
  context: CliContext,
): void {
  const { output, colours } = context;
  const summary = fleetSummary(hosts);
  if (format === 'json') return void output.write(`${JSON.stringify({ fleet, hosts, summary }, undefined, 2)}\n`);
  const paint = paintFor(output, colours);
  const width = lineWidth(output);
  output.write(`${fleetTable(hosts, { paint, width })}\n${wrap(summary, width).map(paint.strong).join('\n')}\n`);
}

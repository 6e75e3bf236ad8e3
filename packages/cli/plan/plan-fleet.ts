import { type MacHost, names } from '@minifleet/api';
import { FLEET_NOT_FOUND } from '../cluster/errors.ts';
import { hostOf, type InfraMachine, inNamespace, listMachines } from '../cluster/machines.ts';
import { macHosts } from '../cluster/resources.ts';
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
  const [all, { items: macs }] = await withCluster(options, context, client =>
    untilAborted(context, Promise.all([listMachines(client, namespace), client.list(macHosts)])),
  );
  const hosts = all
    .filter(machine => fleetsOf(machine).includes(fleet))
    .map(machine => planStatusOf({ machine, host: macs.find(mac => isHeld(mac, machine)) }))
    .toSorted((one, other) => one.machine.localeCompare(other.machine));
  if (hosts.length === 0) throw FLEET_NOT_FOUND({ name: fleet, where: inNamespace(namespace), fleets: namesOf(all) });
  show(hosts, options, context);
  return hosts.some(differs) ? exitCode.differs : exitCode.done;
}

const isHeld = ({ metadata, spec }: MacHost, machine: InfraMachine): boolean =>
  metadata.name === hostOf(machine) && spec.consumerRef?.uid === machine.metadata.uid;

/** Lists the names of a machine's fleet: its MachineDeployment and its fleetName. */
const fleetsOf = ({ metadata, spec }: InfraMachine): string[] =>
  [metadata.labels?.[names.clusterApi.deploymentNameLabel], spec.fleetName].flatMap(name => name || []);

const namesOf = (all: readonly InfraMachine[]): string =>
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

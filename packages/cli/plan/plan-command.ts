import { Command, Option } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';

export interface PlanFleetOptions extends ClusterRequest {
  readonly fleet: string;
  readonly namespace?: string;
  readonly output: 'table' | 'json';
}

/** `minifleet plan --fleet` compares the hosts of a fleet with their desired plan, from the provider's status. */
export const planCommand = (context: CliContext, finish: Finish): Command =>
  withClusterOptions(new Command('plan'))
    .description('Show for each host of a fleet what differs from its desired plan')
    .requiredOption('--fleet <name>', 'name of a MachineDeployment, or fleetName of its machines (required)')
    .option('-n, --namespace <name>', 'namespace (default: all namespaces)')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['table', 'json']).default('table'))
    .action(async (options: PlanFleetOptions) => {
      const { planFleet } = await import('./plan-fleet.ts');
      finish(await planFleet(options, context));
    });

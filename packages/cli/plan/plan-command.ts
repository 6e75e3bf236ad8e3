import { Command, Option } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';

export interface PlanFleetOptions extends ClusterRequest {
  readonly fleet: string;
  readonly namespace?: string;
  readonly output: 'table' | 'json';
}

/** `minifleet plan --fleet`: what differs in a fleet, host by host, as the provider sees it. */
export const planCommand = (context: CliContext, finish: Finish): Command =>
  withClusterOptions(new Command('plan'))
    .description('say host by host what differs in a fleet from what is wanted, and why it still does')
    .requiredOption('--fleet <name>', 'a MachineDeployment, or the fleetName of its machines')
    .option('-n, --namespace <name>', 'where the fleet is; everywhere unless said')
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['table', 'json']).default('table'))
    .action(async (options: PlanFleetOptions) => {
      const { planFleet } = await import('./plan-fleet.ts');
      finish(await planFleet(options, context));
    });

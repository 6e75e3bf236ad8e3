import { type Duration, minutes } from '@minifleet/clock';
import { Command, Option } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import { duration } from '../option-values.ts';

export interface DetachOptions extends ClusterRequest {
  readonly namespace?: string;
  readonly keepMachine?: boolean;
  readonly dryRun?: boolean;
  readonly timeout: Duration;
}

/** `minifleet detach` deletes a machine and leaves its host unchanged. */
export const detachCommand = (context: CliContext): Command =>
  withClusterOptions(new Command('detach'))
    .description('Delete a machine and keep its host for inspection')
    .argument('<machine>', 'name of the machine or of its Cluster API Machine')
    .option('-n, --namespace <name>', 'namespace (default: all namespaces)')
    .option('--keep-machine', 'only set hostRelease: Retain, without deleting the machine')
    .option('--dry-run', 'print the planned changes without applying them')
    .addOption(
      new Option('--timeout <duration>', 'time to wait for the deletion')
        .argParser(duration)
        .default(minutes(30), '30m'),
    )
    .action(async (machine: string, options: DetachOptions) => {
      const { detachMachine } = await import('./detach-machine.ts');
      await detachMachine(machine, options, context);
    });

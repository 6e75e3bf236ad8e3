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

/** `minifleet detach`: the machine goes, its host stays as it is. */
export const detachCommand = (context: CliContext): Command =>
  withClusterOptions(new Command('detach'))
    .description('delete a machine and keep its host as it is, for you to look at')
    .argument('<machine>', 'its name, or that of its Machine')
    .option('-n, --namespace <name>', 'where it is; everywhere unless said')
    .option('--keep-machine', 'only set that the host is kept whenever the machine is deleted')
    .option('--dry-run', 'say what would be done, and change nothing')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait until the machine is gone')
        .argParser(duration)
        .default(minutes(30), '30m'),
    )
    .action(async (machine: string, options: DetachOptions) => {
      const { detachMachine } = await import('./detach-machine.ts');
      await detachMachine(machine, options, context);
    });

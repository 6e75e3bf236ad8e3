import { type Duration, minutes } from '@minifleet/clock';
import { Command } from 'commander';
import { asMinutes } from '../as-minutes.ts';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { Surroundings } from '../surroundings.ts';

export interface DetachOptions extends ClusterRequest {
  readonly namespace?: string;
  readonly keepMachine?: boolean;
  readonly dryRun?: boolean;
  readonly timeout: Duration;
}

/** `minifleet detach`: the machine goes, its host stays as it is. */
export const detachCommand = (around: Surroundings): Command =>
  withClusterOptions(new Command('detach'))
    .description('delete a machine and keep its host as it is, for you to look at')
    .argument('<machine>', 'its name, or that of its Machine')
    .option('-n, --namespace <name>', 'where it is; everywhere unless said')
    .option('--keep-machine', 'only set that the host is kept whenever the machine is deleted')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--timeout <minutes>', 'how long to wait until it is gone', asMinutes, minutes(30))
    .action(async (machine: string, options: DetachOptions) => {
      const { detachMachine } = await import('./detach-machine.ts');
      await detachMachine(machine, options, around);
    });

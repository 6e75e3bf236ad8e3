import { type Duration, minutes } from '@minifleet/clock';
import { Command, Option } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';
import { duration } from '../option-values.ts';

export interface UnstickRequest extends ClusterRequest {
  readonly namespace?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly stuckAfter: Duration;
}

/** `minifleet unstick pods`. The provider does the same; this command is for a cluster without a running provider. */
export const unstickCommand = (context: CliContext, finish: Finish): Command =>
  new Command('unstick').description('Release objects that the older system never releases').addCommand(
    withClusterOptions(new Command('pods'))
      .description('Remove the older agent’s finalizer from Pods that run no VM')
      .option('-n, --namespace <name>', 'namespace (default: all namespaces)')
      .option('--dry-run', 'list the Pods without changing them')
      .option('--yes', 'skip the confirmation')
      .addOption(
        new Option('--stuck-after <duration>', 'time after the grace period before a Pod counts as stuck')
          .argParser(duration)
          .default(minutes(10), '10m'),
      )
      .action(async (request: UnstickRequest) => {
        const { unstickPods } = await import('./unstick-pods.ts');
        finish(await unstickPods(request, context));
      }),
  );

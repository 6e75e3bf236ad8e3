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

/** `minifleet unstick pods`: the provider does the same by itself; this is for a cluster where it does not run yet. */
export const unstickCommand = (context: CliContext, finish: Finish): Command =>
  new Command('unstick').description('let go of what an older system holds for ever').addCommand(
    withClusterOptions(new Command('pods'))
      .description('release Pods that are held by the older agent’s finalizer though no VM of theirs runs')
      .option('-n, --namespace <name>', 'only Pods there; everywhere unless said')
      .option('--dry-run', 'say which Pods, and why, and change nothing')
      .option('--yes', 'do not ask')
      .addOption(
        new Option('--stuck-after <duration>', 'how long after its grace a Pod is left to its agent')
          .argParser(duration)
          .default(minutes(10), '10m'),
      )
      .action(async (request: UnstickRequest) => {
        const { unstickPods } = await import('./unstick-pods.ts');
        finish(await unstickPods(request, context));
      }),
  );

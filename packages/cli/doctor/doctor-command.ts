import { Command, Option } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';

export interface DoctorRequest extends ClusterRequest {
  readonly fix?: boolean;
  readonly output: 'table' | 'json';
}

/** `minifleet doctor`: what is wrong in a cluster, why it matters, and the command that helps. */
export const doctorCommand = (context: CliContext, finish: Finish): Command =>
  withClusterOptions(new Command('doctor'))
    .description('look through a cluster for what commonly goes wrong, and say what to do about it')
    .option('--fix', 'do what is safe: release Pods of which it is known that no VM runs')
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['table', 'json']).default('table'))
    .action(async (request: DoctorRequest) => {
      const { examineCluster } = await import('./examine-cluster.ts');
      finish(await examineCluster(request, context));
    });

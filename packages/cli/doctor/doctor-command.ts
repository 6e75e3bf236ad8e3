import { Command, Option } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';

export interface DoctorRequest extends ClusterRequest {
  readonly fix?: boolean;
  readonly output: 'table' | 'json';
}

/** `minifleet doctor` reports problems of a cluster with their impact and the command that fixes them. */
export const doctorCommand = (context: CliContext, finish: Finish): Command =>
  withClusterOptions(new Command('doctor'))
    .description('Check the cluster for common problems and print fixes')
    .option('--fix', 'apply safe fixes: release stuck Pods that provably run no VM')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['table', 'json']).default('table'))
    .action(async (request: DoctorRequest) => {
      const { examineCluster } = await import('./examine-cluster.ts');
      finish(await examineCluster(request, context));
    });

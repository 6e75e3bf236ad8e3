import { Command, Option } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import { type Finish, UsageError } from '../exit.ts';

export interface DoctorRequest extends ClusterRequest {
  readonly fix?: boolean;
  readonly preflight?: boolean;
  readonly values?: readonly string[];
  readonly namespace?: string;
  readonly yes?: boolean;
  readonly output: 'table' | 'json';
}

/** `minifleet doctor` reports problems of a cluster with their impact and the command that fixes them. */
export const doctorCommand = (context: CliContext, finish: Finish): Command =>
  withClusterOptions(new Command('doctor'))
    .description('Check the cluster for common problems and print fixes')
    .option('--fix', 'apply safe fixes: release stuck Pods that provably run no VM')
    .option('--preflight', 'check the requirements before an installation instead')
    .option('-f, --values <file...>', 'with --preflight: also check these values of the chart')
    .option('-n, --namespace <name>', 'with --preflight: namespace of the release (default: minifleet-system)')
    .option('--yes', 'with --preflight: create and delete the objects of the checks without a question')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['table', 'json']).default('table'))
    .action(async (request: DoctorRequest) => {
      if (request.preflight) {
        if (request.fix) throw new UsageError('--fix and --preflight exclude each other: nothing is installed yet');
        const { runPreflight } = await import('./preflight/run-preflight.ts');
        return finish(await runPreflight(request, context));
      }
      const unused = (['values', 'namespace', 'yes'] as const).find(name => request[name] !== undefined);
      if (unused !== undefined) throw new UsageError(`--${unused} needs --preflight`);
      const { examineCluster } = await import('./examine-cluster.ts');
      finish(await examineCluster(request, context));
    });

import type { Duration } from '@minifleet/clock';
import { Command, Option } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';
import { duration } from '../option-values.ts';

export interface WatchRequest extends ClusterRequest {
  readonly namespace?: string;
  readonly output: 'text' | 'json';
  readonly untilHealthy?: boolean;
  readonly timeout?: Duration;
}

/** `minifleet watch` prints problems and recoveries of hosts, fleets and pools. */
export const watchCommand = (context: CliContext, finish: Finish): Command =>
  withClusterOptions(new Command('watch'))
    .description('Print problems, recoveries and state changes of hosts, fleets and pools until Ctrl-C')
    .argument('[host...]', 'only these hosts: names of MacHosts, machines or Nodes (default: all)')
    .option('-n, --namespace <name>', 'namespace (default: all namespaces)')
    .addOption(
      new Option('-o, --output <format>', 'output format; json prints one object per line')
        .choices(['text', 'json'])
        .default('text'),
    )
    .option('--until-healthy', 'exit as soon as everything is healthy')
    .addOption(
      new Option(
        '--timeout <duration>',
        'with --until-healthy: exit with code 3 after this time (default: no timeout)',
      ).argParser(duration),
    )
    .action(async (hosts: readonly string[], request: WatchRequest) => {
      const { watch } = await import('./watch.ts');
      finish(await watch(hosts, request, context));
    });

import { Command, Option } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';

export interface WatchRequest extends ClusterRequest {
  readonly namespace?: string;
  readonly output: 'text' | 'json';
  readonly untilWell?: boolean;
  /** As written: `90s`, `5m`. */
  readonly timeout?: string;
}

/** `minifleet watch`: what happens to hosts, while it happens. */
export const watchCommand = (context: CliContext, finish: Finish): Command =>
  withClusterOptions(new Command('watch'))
    .description('show trouble as it is found and repaired, until Ctrl-C')
    .argument('[host...]', 'only these, by the name of a machine or Node, or by server id')
    .option('-n, --namespace <name>', 'only there; everywhere unless said')
    .addOption(new Option('-o, --output <format>', 'json: one object a line').choices(['text', 'json']).default('text'))
    .option('--until-well', 'end as soon as nothing is in trouble')
    .option('--timeout <duration>', 'with --until-well: end after that time anyway; 90s, 5m')
    .action(async (hosts: readonly string[], request: WatchRequest) => {
      const { watch } = await import('./watch.ts');
      finish(await watch(hosts, request, context));
    });

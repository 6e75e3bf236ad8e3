import { Command } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';

export interface ExplainRequest extends ClusterRequest {
  readonly namespace?: string;
}

/** `minifleet explain host/mac-1`: why it is so, and what comes next. */
export const explainCommand = (context: CliContext): Command =>
  withClusterOptions(new Command('explain'))
    .description('say in a few sentences why something is in its state, and what comes next')
    .argument('<kind/name>', 'host, fleet, claim, guest or runnerpool, and its name: host/mac-1')
    .argument('[name]', 'the name, if it was not written behind a slash')
    .option('-n, --namespace <name>', 'where it is; everywhere unless said')
    .action(async (what: string, name: string | undefined, request: ExplainRequest) => {
      const { explain } = await import('./explain.ts');
      await explain(name === undefined ? what : `${what}/${name}`, request, context);
    });

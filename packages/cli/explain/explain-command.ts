import { Command } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';

export interface ExplainRequest extends ClusterRequest {
  readonly namespace?: string;
}

/** `minifleet explain host/mac-1` prints the state of an object, its cause and the next action. */
export const explainCommand = (context: CliContext): Command =>
  withClusterOptions(new Command('explain'))
    .description('Explain the state of an object and the next action')
    .argument('<kind/name>', 'host, fleet, guest or runnerpool with its name: host/mac-1')
    .argument('[name]', 'name, if not given after a slash')
    .option('-n, --namespace <name>', 'namespace (default: all namespaces)')
    .action(async (what: string, name: string | undefined, request: ExplainRequest) => {
      const { explain } = await import('./explain.ts');
      await explain(name === undefined ? what : `${what}/${name}`, request, context);
    });

import { Argument, Command, Option } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import { KIND_NAMES } from './kind-names.ts';

export interface GetRequest extends ClusterRequest {
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly output?: 'wide' | 'json' | 'yaml' | 'name';
  readonly watch?: boolean;
}

/** `minifleet get`: what is there, where, in which state, since when, and why not. */
export const getCommand = (context: CliContext): Command =>
  withClusterOptions(new Command('get'))
    .description('show what is there: where, in which state, since when, and why not')
    .addArgument(new Argument('<kind>', 'what to show').choices(KIND_NAMES))
    .argument('[name]', 'only this one')
    .addOption(new Option('-n, --namespace <name>', 'only there; everywhere unless said').conflicts('allNamespaces'))
    .option('-A, --all-namespaces', 'everywhere, which is so anyway')
    .option('-l, --selector <labels>', 'only with these labels, as kubectl writes them')
    .addOption(new Option('-o, --output <format>', 'more columns, or data').choices(['wide', 'json', 'yaml', 'name']))
    .option('-w, --watch', 'go on, and show what changes')
    .action(async (kind: string, name: string | undefined, options: Omit<GetRequest, 'kind' | 'name'>) => {
      const { get } = await import('./get.ts');
      await get({ ...options, kind, ...(name === undefined ? {} : { name }) }, context);
    });

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
  readonly unmanaged?: boolean;
}

/** `minifleet get` lists objects with their state. */
export const getCommand = (context: CliContext): Command =>
  withClusterOptions(new Command('get'))
    .description('List fleets, hosts, guests or runners')
    .addArgument(new Argument('<kind>', 'kind of object').choices(KIND_NAMES))
    .argument('[name]', 'name of one object')
    .addOption(new Option('-n, --namespace <name>', 'namespace (default: all namespaces)').conflicts('allNamespaces'))
    .option('-A, --all-namespaces', 'all namespaces (the default)')
    .option('-l, --selector <labels>', 'label selector, for example app=web')
    .addOption(
      new Option('-o, --output <format>', 'output format (default: table)').choices(['wide', 'json', 'yaml', 'name']),
    )
    .option('-w, --watch', 'print changes after the list')
    .addOption(
      new Option('--unmanaged', 'with hosts: servers of the Scaleway project that nothing manages').conflicts([
        'namespace',
        'selector',
        'watch',
      ]),
    )
    .action(async (kind: string, name: string | undefined, options: Omit<GetRequest, 'kind' | 'name'>) => {
      const { get } = await import('./get.ts');
      await get({ ...options, kind, ...(name === undefined ? {} : { name }) }, context);
    });

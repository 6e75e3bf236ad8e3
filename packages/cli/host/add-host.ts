import { type MacHost, macHost } from '@minifleet/api';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import type { AddHostOptions } from './host-commands.ts';

/**
 * Applies the MacHost of an owned Mac, or prints it. Applied again with another address, it changes the address. A Scaleway server cannot be
 * overwritten, because the CRD refuses its name for an owned Mac.
 */
export async function addHost(name: string, options: AddHostOptions, context: CliContext): Promise<void> {
  const manifest = manifestOf(name, options);
  const { problems } = macHost.validate(manifest);
  if (problems.length > 0) throw new UsageError(problems.map(({ message }) => message).join('; '));
  if (options.dryRun) {
    const { stringify } = await import('yaml');
    return void context.output.write(stringify(manifest));
  }
  // Not forced: the API server refuses fields that another manager owns, for example a GitOps tool.
  await withCluster(options, context, client =>
    client.apply(macHost.resource, manifest as MacHost, { fieldManager: 'minifleet' }),
  );
  context.output.write(`machosts.minifleet.dev/${name} applied; machines of pool ${options.pool} can claim it.
To follow it: minifleet get host ${name} --watch
`);
}

function manifestOf(name: string, { address, port, user, pool, hostKey, type, os }: AddHostOptions) {
  const { group, version, kind } = macHost.resource;
  const more = Object.entries({ hostKey, type, os }).filter(([, value]) => value !== undefined);
  const owned = { address, port, user, ...Object.fromEntries(more) };
  return { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec: { source: { owned }, pool } };
}

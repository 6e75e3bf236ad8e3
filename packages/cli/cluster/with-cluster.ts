import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Client, connectClient, isRefused, KubeconfigError, readKubeconfig } from '@minifleet/kube/client';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import type { ClusterRequest } from './cluster-options.ts';
import { tellTrouble } from './tell-trouble.ts';

/** Connects to the cluster, does the work, and lets go of it whatever came of it. */
export async function withCluster<T>(
  request: ClusterRequest,
  around: CliContext,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = (around.openCluster ?? openCluster)(request, around);
  try {
    return await work(client);
  } catch (error) {
    throw await tellTrouble(error, client, request.kubeconfig ?? usualKubeconfig(around));
  } finally {
    await client.close();
  }
}

function openCluster({ kubeconfig, context }: ClusterRequest, around: CliContext): Client {
  const { clock, environment } = around;
  const path = kubeconfig ?? usualKubeconfig(around);
  try {
    const sources = readKubeconfig(path, { environment, ...(context === undefined ? {} : { context }) });
    return connectClient(sources, { clock, retry: { worthRetrying: error => !isRefused(error) } });
  } catch (error) {
    throw error instanceof KubeconfigError ? new UsageError(error.message, { cause: error }) : error;
  }
}

/**
 * The kubeconfig to use without --kubeconfig. Of a list in $KUBECONFIG it is the first file that exists: kubectl merges all of them,
 * and most lists have one.
 */
export function usualKubeconfig({
  environment,
  home,
  stateDirectory,
  fallbackKubeconfig,
}: Pick<CliContext, 'environment' | 'home' | 'stateDirectory' | 'fallbackKubeconfig'>): string {
  const named = (environment['KUBECONFIG'] ?? '').split(delimiter).filter(path => path !== '');
  if (named.length > 0) return named.find(path => existsSync(path)) ?? named[0] ?? '';
  const own = join(home, '.kube', 'config');
  return existsSync(own) ? own : (fallbackKubeconfig?.(stateDirectory) ?? own);
}

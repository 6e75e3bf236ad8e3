import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Client, connectClient, isRefused, KubeconfigError, readKubeconfig } from '@minifleet/kube/client';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import type { ClusterRequest } from './cluster-options.ts';
import { explainApiError } from './explain-api-error.ts';

/** Connects to the cluster, runs the work and always closes the connection. */
export async function withCluster<T>(
  request: ClusterRequest,
  context: CliContext,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = (context.openCluster ?? openCluster)(request, context);
  try {
    return await work(client);
  } catch (error) {
    throw await explainApiError(error, client, request.kubeconfig ?? defaultKubeconfig(context));
  } finally {
    await client.close();
  }
}

function openCluster(request: ClusterRequest, context: CliContext): Client {
  const { clock, environment } = context;
  const path = request.kubeconfig ?? defaultKubeconfig(context);
  try {
    const sources = readKubeconfig(path, {
      environment,
      ...(request.context === undefined ? {} : { context: request.context }),
    });
    return connectClient(sources, { clock, retry: { worthRetrying: error => !isRefused(error) } });
  } catch (error) {
    throw error instanceof KubeconfigError ? new UsageError(error.message, { cause: error }) : error;
  }
}

/**
 * Returns the kubeconfig to use without --kubeconfig. From a list in $KUBECONFIG it takes the first file that exists. kubectl
 * merges all files, but most lists have one.
 */
export function defaultKubeconfig({
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

import { readFile } from 'node:fs/promises';
import type { CliContext } from '@minifleet/cli';
import { UsageError } from '@minifleet/cli';
import { CLUSTER_API_MISSING, explainApiError } from '@minifleet/cli/cluster';
import {
  type Client,
  type CredentialSources,
  connectClient,
  customResourceDefinitions,
  KubeconfigError,
  type Material,
  namespaces,
  readKubeconfig,
} from '@minifleet/kube';
import { createTemporaryDirectory } from '@minifleet/local-cluster';
import { MINIFLEET_INSTALLED } from '../../errors.ts';
import { SYSTEM } from '../programs/grant-access.ts';
import type { UpCluster } from './up-cluster.ts';

/** Opens an existing cluster. Rejects one without Cluster API, and one with Minifleet, because two providers would conflict. */
export async function openGivenCluster(kubeconfig: string, context: CliContext): Promise<UpCluster> {
  const sources = readSources(kubeconfig, context);
  const client = connectClient(sources, { clock: context.clock });
  const version = await checkCluster(client, kubeconfig);
  const directory = await createTemporaryDirectory('minifleet-up-');
  return {
    description: `Kubernetes ${version} with Cluster API`,
    kubeconfig,
    server: sources.server.href.replace(/\/$/, ''),
    certificateAuthority: await textOf(sources.authority),
    directory: directory.path,
    // The cluster cannot reach a network on this machine.
    network: undefined,
    isGiven: true,
    close: () => directory.remove(),
  };
}

function readSources(kubeconfig: string, { environment }: CliContext): CredentialSources {
  try {
    return readKubeconfig(kubeconfig, { environment });
  } catch (error) {
    throw error instanceof KubeconfigError ? new UsageError(error.message, { cause: error }) : error;
  }
}

/** Returns the version of a cluster that `up` can use. */
async function checkCluster(client: Client, kubeconfig: string): Promise<string> {
  try {
    if (!(await client.find(customResourceDefinitions, { name: 'machines.cluster.x-k8s.io' }))) {
      throw CLUSTER_API_MISSING({});
    }
    if (await client.find(namespaces, { name: SYSTEM })) throw MINIFLEET_INSTALLED({ namespace: SYSTEM });
    const { gitVersion } = JSON.parse(await client.send({ method: 'GET', path: '/version' })) as { gitVersion: string };
    return gitVersion;
  } catch (error) {
    throw await explainApiError(error, client, kubeconfig);
  } finally {
    await client.close();
  }
}

async function textOf(material: Material | undefined): Promise<string | undefined> {
  if (!material) return undefined;
  return 'file' in material ? readFile(material.file, 'utf8') : material.data.toString();
}

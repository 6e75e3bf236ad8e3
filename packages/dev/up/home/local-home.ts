import { CLUSTER_API_VERSION, KUBERNETES_VERSION, type Reporter, startLocalCluster } from '@minifleet/local-cluster';
import type { Home } from './home.ts';
import { openNetwork } from './open-network.ts';

/** A cluster of our own on loopback, with a network for so many Macs. */
export async function openLocalHome(macs: number, reporter: Reporter): Promise<Home> {
  const network = await openNetwork(macs, reporter);
  try {
    const cluster = await startLocalCluster({
      tools: ['kubectl'],
      reporter,
      serverAddresses: network ? [network.gateway] : [],
    });
    return {
      what: `Kubernetes ${KUBERNETES_VERSION} with Cluster API ${CLUSTER_API_VERSION}`,
      kubeconfig: cluster.kubeconfigs.admin.path,
      server: network ? cluster.server.replace('127.0.0.1', network.gateway) : cluster.server,
      certificateAuthority: cluster.certificateAuthority,
      directory: cluster.directory,
      network,
      stays: false,
      async close() {
        await cluster.stop();
        await network?.stop();
      },
    };
  } catch (error) {
    await network?.stop();
    throw error;
  }
}

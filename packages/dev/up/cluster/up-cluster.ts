import {
  CLUSTER_API_VERSION,
  createHostNetwork,
  type HostNetwork,
  KUBERNETES_VERSION,
  type Reporter,
  startLocalCluster,
} from '@minifleet/local-cluster';

/** The cluster of an `up`, and the folder of its files. */
export interface UpCluster {
  /** `Kubernetes v1.36.4 with Cluster API v1.14.2`. */
  readonly description: string;
  /** Kubeconfig with administrator permissions. */
  readonly kubeconfig: string;
  /** URL at which the Macs and Minifleet's programs reach the API server. */
  readonly server: string;
  /** PEM; undefined if the server has a publicly trusted certificate. */
  readonly certificateAuthority: string | undefined;
  /** Folder of all files of this `up`. It is removed at the end, even after a SIGKILL. */
  readonly directory: string;
  /** Network with one address per Mac; undefined if the Macs are on loopback. */
  readonly network: HostNetwork | undefined;
  /** True if the cluster outlives this `up`, which must then remove its objects. */
  readonly isGiven: boolean;
  close(): Promise<void>;
}

/** Starts a cluster on loopback, with a network for that many Macs. */
export async function openLocalCluster(macs: number, reporter: Reporter): Promise<UpCluster> {
  const network = await openNetwork(macs, reporter);
  try {
    const cluster = await startLocalCluster({
      tools: ['kubectl'],
      reporter,
      serverAddresses: network ? [network.gateway] : [],
    });
    return {
      description: `Kubernetes ${KUBERNETES_VERSION} with Cluster API ${CLUSTER_API_VERSION}`,
      kubeconfig: cluster.kubeconfigs.admin.path,
      server: network ? cluster.server.replace('127.0.0.1', network.gateway) : cluster.server,
      certificateAuthority: cluster.certificateAuthority,
      directory: cluster.directory,
      network,
      isGiven: false,
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

/**
 * Creates one address per Mac. Returns undefined, with a note, if this machine or its permissions do not allow that. The Macs are then
 * on loopback, to which the API server does not proxy; logs, exec and port-forward still work.
 */
async function openNetwork(macs: number, reporter: Reporter): Promise<HostNetwork | undefined> {
  try {
    return await createHostNetwork({ name: 'up', addresses: macs });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    reporter.note(`the Macs are on loopback, so kubectl get --raw /api/v1/nodes/…/proxy cannot reach them: ${why}`);
    return undefined;
  }
}

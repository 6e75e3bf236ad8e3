import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, connectClient, readKubeconfig, serviceAccounts } from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { kubeconfigFile } from '@minifleet/local-cluster/testing/components';

/** A real control plane and a client with administrator permissions. */
export interface BenchCluster {
  readonly cluster: LocalCluster;
  readonly admin: Client;
  stop(): Promise<void>;
}

/**
 * Scheduler settings for a burst. With the default of 50 requests per second, a thousand Pods wait twenty seconds for
 * their binding. All Macs are equal, so the scheduler need not score half of them.
 */
export const SCHEDULER = { qps: 2_000, burst: 2_000, percentageOfNodesToScore: 5 };

export async function startCluster(serverAddresses: readonly string[] = []): Promise<BenchCluster> {
  const schedulerFlags: Record<string, string> = {};
  const cluster = await startLocalCluster({
    components: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
    extraFlags: { 'kube-scheduler': schedulerFlags },
    serverAddresses,
  });
  // The configuration names a kubeconfig that exists only now. Flags are read at each start.
  schedulerFlags['config'] = writeSchedulerConfiguration(cluster.directory);
  await cluster.component('kube-scheduler').restart();
  const admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  await eventually(() => admin.find(serviceAccounts, { namespace: 'default', name: 'default' }));
  return {
    cluster,
    admin,
    async stop() {
      await admin.close();
      await cluster.stop();
    },
  };
}

function writeSchedulerConfiguration(directory: string): string {
  const { qps, burst, percentageOfNodesToScore } = SCHEDULER;
  const kubeconfig = kubeconfigFile({ directory }, 'kube-scheduler');
  const file = path.join(directory, 'benchmark', 'scheduler.json');
  mkdirSync(path.dirname(file), { recursive: true });
  const configuration = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig, qps, burst },
    leaderElection: { leaderElect: false },
    percentageOfNodesToScore,
  };
  writeFileSync(file, JSON.stringify(configuration));
  return file;
}

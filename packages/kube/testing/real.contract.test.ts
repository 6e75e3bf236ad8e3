import { systemClock } from '@minifleet/clock';
import { KUBERNETES_VERSION, startLocalCluster } from '@minifleet/local-cluster';
import { connectClient } from '../client/connect.ts';
import { readKubeconfig } from '../client/kubeconfig.ts';
import { apiServerContract } from './contract.ts';

apiServerContract(`kube-apiserver ${KUBERNETES_VERSION}`, async () => {
  const cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
  const client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  return {
    client,
    async close() {
      await client.close();
      await cluster.stop();
    },
  };
});

import { names } from '@minifleet/api';
import { passed, phase, waiting } from '../phase.ts';

/** A machine starts when Cluster API has made a Machine its owner and its Cluster is provisioned. A watch ends each wait. */
export const clusterReady = phase('ClusterReady', async ({ machine, ownerMachine, cluster }) => {
  if (!ownerMachine)
    return waiting('WaitingForOwner', 'waiting for Cluster API to set a Machine as the owner of this object');
  const name = machine.metadata.labels?.[names.clusterApi.clusterNameLabel] ?? ownerMachine.spec.clusterName;
  if (!cluster) return waiting('WaitingForCluster', `the Cluster ${name} does not exist`);
  if (cluster.status?.initialization?.infrastructureProvisioned !== true) {
    return waiting('WaitingForClusterInfrastructure', `the infrastructure of Cluster ${name} is not provisioned yet`);
  }
  return passed('ClusterReady');
});

import { names } from '@minifleet/api';
import { passed, phase, waiting } from '../phase.ts';

/** A machine begins when core has made it a Machine's and its Cluster stands. Each wait ends with a watch. */
export const clusterReady = phase('ClusterReady', async ({ samm, machine, cluster }) => {
  if (!machine)
    return waiting('WaitingForOwner', 'waiting for Cluster API to set a Machine as the owner of this object');
  const name = samm.metadata.labels?.[names.clusterApi.clusterNameLabel] ?? machine.spec.clusterName;
  if (!cluster) return waiting('WaitingForCluster', `the Cluster ${name} does not exist`);
  if (cluster.status?.initialization?.infrastructureProvisioned !== true) {
    return waiting('WaitingForClusterInfrastructure', `the infrastructure of Cluster ${name} is not provisioned yet`);
  }
  return passed('ClusterReady');
});

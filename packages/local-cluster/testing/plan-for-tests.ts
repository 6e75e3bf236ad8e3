/** Returns a plan for tests of flags; nothing in it exists. */
import { type ClusterPlan, COMPONENTS } from '../components/component.ts';
import type { ClusterPki } from '../pki/cluster-pki.ts';

export function planForTests(): ClusterPlan {
  return {
    directory: '/cluster',
    components: COMPONENTS,
    ports: {
      etcd: 1,
      etcdPeer: 2,
      apiserver: 3,
      controllerManager: 4,
      scheduler: 5,
      capiWebhook: 6,
      capiHealth: 7,
      capiDiagnostics: 8,
      metricsServer: 9,
    },
    pki: { directory: '/cluster/pki' } as ClusterPki,
    serverAddresses: [],
    extraFlags: {},
    failureDirectory: '/failures',
  };
}

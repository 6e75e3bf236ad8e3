import type { ProgramName } from '@minifleet/local-cluster';

/** Programs of the cluster, of its Linux Node, and of the commands of the page. */
export const POD_BENCH_PROGRAMS: readonly ProgramName[] = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'capi-core',
  'capi-manifests',
  'kubelet',
  'kubectl',
  'helm',
  'clusterctl',
];

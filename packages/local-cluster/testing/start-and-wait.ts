/** A parent to be killed: starts a cluster, prints what would be left, and waits. Its argument requests a paused component. */
import { startLocalCluster } from '../start-local-cluster.ts';

const cluster = await startLocalCluster({
  components: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
});
if (process.argv[2] === 'true') await cluster.component('etcd').pause();
const pids = cluster.components.map(({ pid }) => pid);
process.stdout.write(`${JSON.stringify({ pids, directory: cluster.directory })}\n`);
setInterval(() => {}, 60_000);

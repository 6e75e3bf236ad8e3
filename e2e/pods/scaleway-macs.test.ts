import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ADDRESSES } from './addresses.ts';
import { createOperator } from './operator.ts';
import { openPodsBench, type PodsBench } from './pods-bench.ts';

const VALUES = 'docs/examples/own-cluster-scaleway.values.yaml';

describe('the chart with its programs as Pods, and three Macs rented from Scaleway', () => {
  let bench: PodsBench;
  before(async () => {
    bench = await openPodsBench();
  });
  after(() => bench.stop());
  const operator = createOperator(() => bench);
  const rentedMacs = () => bench.world.scaleway.console.servers().filter(({ ip }) => ADDRESSES.rentedMacs.includes(ip));

  test('helm install waits until three rented Macs are Ready Nodes', async () => {
    const { accessKey, secretKey, defaultProjectId } = bench.world.scaleway.apiFor();
    await operator.run('kubectl create namespace minifleet-system');
    await operator.run(
      `kubectl create secret generic scaleway -n minifleet-system --from-literal=access-key=${accessKey} --from-literal=secret-key=${secretKey} --from-literal=project-id=${defaultProjectId}`,
    );
    // The Macs were delivered before the fleet existed, so they reject its key and are reinstalled first.
    await operator.install(VALUES, '--timeout 7m');
    const nodes = await operator.run('kubectl get nodes -l tuist.dev/fleet=runners --no-headers');
    assert.equal([...nodes.matchAll(/ Ready /g)].length, 3, nodes);
  });

  test('a GitHub job runs in a VM of a rented Mac', async t => {
    await operator.storeGithubApp();
    assert.match(await operator.runJob(), /macOS/);
    t.diagnostic(`rented Macs: ${operator.elapsed()} from helm install to the first finished job`);
  });

  test('the deletion of pools and Cluster returns each rented Mac to the pool under its name', async t => {
    const started = Date.now();
    const before = rentedMacs();
    assert.deepEqual(
      before.filter(({ name }) => name.startsWith('tuist-pool-')),
      [],
      'claimed Macs have the names of their machines',
    );
    await operator.run('kubectl delete runnerpools --all -n tuist-runners');
    await operator.run('kubectl delete cluster minifleet -n minifleet-system');
    await operator.run("kubectl wait machosts --all --for=jsonpath='{.status.state}'=Available --timeout=2m");
    const now = rentedMacs();
    assert.deepEqual(now.map(({ name }) => name).sort(), ['tuist-pool-01', 'tuist-pool-02', 'tuist-pool-03']);
    for (const { id, installation } of now)
      assert.equal(installation, (before.find(one => one.id === id)?.installation ?? 0) + 1, 'reinstalled once');
    // Free MacHosts stay. They must not block the deletion of their CRD.
    await operator.run('helm uninstall minifleet -n minifleet-system');
    await operator.run('helm template charts/minifleet-crds | kubectl delete -f - --timeout=1m');
    t.diagnostic(`rented Macs: ${((Date.now() - started) / 1_000).toFixed(1)} s to return all and to delete the CRDs`);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
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
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '@minifleet/clock';
import {
  type Client,
  connectClient,
  customResourceDefinitions,
  type KubeObject,
  namespaces,
  nodes,
  type Resource,
  readKubeconfig,
  secrets,
} from '@minifleet/kube';
import { deleteDefinition } from '@minifleet/kube/testing';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { type RunningUp, runMinifleet, startUp } from './minifleet-up.ts';

describe('minifleet up --kubeconfig', () => {
  let cluster: LocalCluster;
  let client: Client;
  let up: RunningUp | undefined;
  before(async () => {
    cluster = await startLocalCluster();
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  });
  after(async () => {
    await up?.signal('SIGKILL');
    await client.close();
    await cluster.stop();
  });

  const minifleetUp = (kubeconfig: string) => {
    const { directory } = cluster;
    const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], XDG_STATE_HOME: directory };
    return runMinifleet(`minifleet up --kubeconfig ${kubeconfig}`, environment);
  };
  const namesOf = async <T extends KubeObject>(resource: Resource<T>): Promise<string[]> =>
    (await client.list(resource)).items.map(({ metadata }) => metadata.name).toSorted();

  test('up --kubeconfig reports an unreachable cluster with the next action', async () => {
    const file = join(cluster.directory, 'unreachable.yaml');
    const text = `{clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}], contexts: [{name: a, context: {cluster: a}}], current-context: a}`;
    writeFileSync(file, text);
    const { code, errors } = await minifleetUp(file);
    assert.equal(code, 1);
    assert.match(errors, /API server unreachable \(.+\); check that the cluster is up/);
  });

  test('up --kubeconfig creates three fleets in the given cluster, and removes them when it stops', async () => {
    const observe = async () => ({
      namespaces: await namesOf(namespaces),
      nodes: await namesOf(nodes),
      crds: await namesOf(customResourceDefinitions),
      secrets: await namesOf(secrets),
    });
    const before = await observe();
    up = await startUp({ flags: ['--kubeconfig', cluster.kubeconfigs.admin.path, '--hosts', '3', '--speed', '5'] });
    assert.equal(up.output().match(/✓ fleet \S+ \([\d.]+ s after the start\): 1 Mac is a Ready Node\n/g)?.length, 3);
    assert.equal((await namesOf(nodes)).length, 3);

    const again = await minifleetUp(cluster.kubeconfigs.admin.path);
    assert.equal(again.code, 1);
    assert.match(again.errors, /the cluster already has Minifleet \(namespace minifleet-system\)/);

    assert.equal(await up.signal('SIGINT'), 0, up.output());
    assert.match(up.output(), /✓ returning the Macs/);
    assert.deepEqual(await observe(), before);
  });

  test('up --kubeconfig rejects a cluster without Cluster API and names the install command', async () => {
    await deleteDefinition(client, 'machines.cluster.x-k8s.io');
    const { code, errors } = await minifleetUp(cluster.kubeconfigs.admin.path);
    assert.equal(code, 1);
    assert.match(errors, /Cluster API is not installed in this cluster; install it with clusterctl init/);
  });
});

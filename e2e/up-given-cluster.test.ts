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

describe('minifleet up --kubeconfig, in a cluster that was there before', () => {
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

  test('one that does not answer is told of with the next step', async () => {
    const file = join(cluster.directory, 'nobody.yaml');
    const text = `{clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}], contexts: [{name: a, context: {cluster: a}}], current-context: a}`;
    writeFileSync(file, text);
    const { code, errors } = await minifleetUp(file);
    assert.equal(code, 1);
    assert.match(errors, /cannot be reached \(.+\); see whether it is up and the right one/);
  });

  test('has three fleets there and, stopped, leaves it as it was', async () => {
    const seen = async () => ({
      namespaces: await namesOf(namespaces),
      nodes: await namesOf(nodes),
      kinds: await namesOf(customResourceDefinitions),
      secrets: await namesOf(secrets),
    });
    const before = await seen();
    up = await startUp({ flags: ['--kubeconfig', cluster.kubeconfigs.admin.path, '--hosts', '3', '--speed', '5'] });
    assert.equal(up.output().match(/✓ fleet \S+ \([\d.]+ s after the start\): 1 Mac is a Ready Node\n/g)?.length, 3);
    assert.equal((await namesOf(nodes)).length, 3);

    const again = await minifleetUp(cluster.kubeconfigs.admin.path);
    assert.equal(again.code, 1);
    assert.match(again.errors, /the cluster has a namespace minifleet-system, so Minifleet is installed there/);

    assert.equal(await up.signal('SIGINT'), 0, up.output());
    assert.match(up.output(), /✓ giving the Macs back/);
    assert.deepEqual(await seen(), before);
  });

  test('one without Cluster API is refused with how to install it', async () => {
    await deleteDefinition(client, 'machines.cluster.x-k8s.io');
    const { code, errors } = await minifleetUp(cluster.kubeconfigs.admin.path);
    assert.equal(code, 1);
    assert.match(errors, /Cluster API is not installed in this cluster; install it with clusterctl init/);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { fakeClock } from '@minifleet/clock/testing';
import { namespaces, nodes, pods } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import type { Stage } from '../stage.ts';
import { FLEET, POOL, replaceOneHere } from './warm-pool.ts';

test('a runner that somebody else replaces in the moment it is to be deleted has a successor on the host, too', async () => {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  const { client } = api;
  await client.create(namespaces, { metadata: { name: POOL.namespace } });
  for (const name of ['mac-a', 'mac-b']) {
    await client.create(nodes, { metadata: { name, labels: { [names.labels.fleet]: FLEET } } });
  }
  const runnerOn = (nodeName: string, name: string): Promise<unknown> =>
    client.create(pods, {
      metadata: { ...POOL, name, labels: { [names.labels.runnerPool]: POOL.name } },
      spec: { nodeName, containers: [{ name: 'runner', image: 'i' }] },
    });
  await runnerOn('mac-a', 'warm-old');
  api.faults.failNext({ match: { method: 'DELETE' }, status: 404, reason: 'NotFound' });
  const tainted: string[] = [];
  const kubectl = async (...argv: readonly string[]): Promise<string> => {
    tainted.push(argv.slice(2).join(' '));
    if (tainted.length === 1) await runnerOn('mac-a', 'warm-new');
    return '';
  };
  const stage = { client, clock, kubectl, name: 'mac-a' } as unknown as Stage;
  assert.equal(await replaceOneHere(stage), 'warm-new');
  assert.deepEqual(tainted, ['mac-b minifleet.dev/break=true:NoSchedule', 'mac-b minifleet.dev/break-']);
});

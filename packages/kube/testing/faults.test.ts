import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { ApiError, ConnectionError, isGone } from '../client/api-error.ts';
import { configMaps } from '../client/built-in.ts';
import { startWatching } from './contract/watching.ts';
import { createMemoryApi, type MemoryApi } from './memory-api.ts';

const namespace = 'default';
const key = { namespace, name: 'a' };

function setUp(): MemoryApi & { clock: FakeClock; create: (name: string) => Promise<unknown> } {
  const clock = fakeClock();
  const memory = createMemoryApi({ clock });
  const create = (name: string): Promise<unknown> =>
    memory.client.create(configMaps, { metadata: { name, namespace } });
  return { ...memory, clock, create };
}

test('memory API: an injected failure fails one request, which has no effect', async () => {
  const { faults, create, client } = setUp();
  faults.failNext({ match: { method: 'POST' }, status: 500, reason: 'InternalError', message: 'made to fail' });
  await assert.rejects(create('a'), (error: unknown) => error instanceof ApiError && error.code === 500);
  assert.equal(await client.find(configMaps, key), undefined);
  await create('a');
});

test('memory API: the client waits for the Retry-After of an injected 429', async () => {
  const { faults, create, clock, requests } = setUp();
  faults.failNext({ status: 429, retryAfter: seconds(5), times: 2 });
  const created = create('a');
  await clock.advance(seconds(4));
  assert.equal(requests.length, 1);
  await clock.advance(seconds(20));
  await created;
  assert.equal(requests.length, 3);
});

test('memory API: a fault applies only to matching requests', async () => {
  const { faults, create, client } = setUp();
  await create('a');
  faults.failNext({ match: { path: /\/secrets/ }, status: 403 });
  faults.failNext({ match: { watch: true }, status: 403 });
  await client.get(configMaps, key);
  await assert.rejects(startWatching(client, configMaps, { namespace }), /403/);
  faults.clear();
});

test('memory API: a create whose connection is dropped before it arrives is retried', async () => {
  const { faults, create, clock, client } = setUp();
  faults.dropNext({ match: { method: 'POST' }, when: 'before' });
  const created = create('a');
  await clock.advance(seconds(5));
  await created;
  assert.ok(await client.find(configMaps, key));
});

test('memory API: a create whose connection is dropped after its effect rejects', async () => {
  const { faults, create, client } = setUp();
  faults.dropNext({ match: { method: 'POST' }, when: 'after' });
  await assert.rejects(create('a'), ConnectionError);
  assert.ok(await client.find(configMaps, key));
});

test('memory API: a delayed response arrives after the delay', async () => {
  const { faults, create, clock, client } = setUp();
  faults.delayNext({ by: seconds(3) });
  const created = create('a');
  await clock.advance(seconds(2));
  assert.equal(await client.find(configMaps, key), undefined);
  await clock.advance(seconds(1));
  await created;
});

test('memory API: dropped watches end after the events that were already sent', async () => {
  const { faults, create, client } = setUp();
  const watching = await startWatching(client, configMaps, { namespace });
  await create('a');
  faults.dropWatches();
  assert.ok((await watching.ended) instanceof ConnectionError);
  assert.deepEqual(watching.seen(), ['ADDED a']);
});

test('memory API: expired history makes old watches and continue tokens Gone until a new list', async () => {
  const { faults, create, client } = setUp();
  for (const name of ['a', 'b', 'c']) await create(name);
  const page = await client.list(configMaps, { namespace, limit: 1 });
  const { resourceVersion, continue: token = '' } = page.metadata;
  faults.expireHistory();
  const watching = await startWatching(client, configMaps, { namespace, resourceVersion });
  assert.ok(isGone(await watching.ended));
  await assert.rejects(client.list(configMaps, { namespace, limit: 1, continue: token }), isGone);
  const again = await client.list(configMaps, { namespace });
  assert.equal(again.items.length, 3);
  const resumed = await startWatching(client, configMaps, {
    namespace,
    resourceVersion: again.metadata.resourceVersion,
  });
  await create('d');
  await resumed.atLeast(1);
  resumed.close();
});

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { isGone, isInvalid } from '../client/api-error.ts';
import { configMaps, customResourceDefinitions } from '../client/built-in.ts';
import { apiVersionOf, type Resource } from '../client/resource.ts';
import type { KubeObject } from '../object.ts';
import { startWatching } from './contract/watching.ts';
import { definitions, widgets } from './contract/widgets.ts';
import { createMemoryApi } from './memory-api.ts';

interface Robot extends KubeObject {
  spec: { arms: number };
  status?: { ready: boolean };
}

const robots: Resource<Robot> = {
  group: 'robots.test',
  version: 'v1',
  kind: 'Robot',
  plural: 'robots',
  scope: 'Namespaced',
};

const metadata = { name: 'a', namespace: 'default' };

test('memory API: a given resource is served without a schema and with a status subresource', async () => {
  const { client } = createMemoryApi({ clock: fakeClock(), resources: [robots] });
  const created = await client.create(robots, { metadata, spec: { arms: 2 } });
  const ready = await client.update(robots, { ...created, status: { ready: true } }, { subresource: 'status' });
  const after = await client.update(robots, { ...ready, spec: { arms: 3 }, status: { ready: false } });
  assert.deepEqual([after.spec, after.status, after.metadata.generation], [{ arms: 3 }, { ready: true }, 2]);
});

test('memory API: a given CRD is served immediately', async () => {
  const typed = { apiVersion: apiVersionOf(customResourceDefinitions), kind: 'CustomResourceDefinition' };
  const crds = definitions.map(definition => ({ ...definition, ...typed }) as KubeObject);
  const { client } = createMemoryApi({ clock: fakeClock(), crds });
  const created = await client.create(widgets, { metadata, spec: { size: 'small' } });
  assert.equal(created.spec?.count, 3);
});

test('memory API: a validation rule of a resource rejects an update and gets the old object', async () => {
  const { client } = createMemoryApi({
    clock: fakeClock(),
    resources: [robots],
    validate: [
      {
        resource: robots,
        validate: (object, before) => {
          const arms = (robot: KubeObject | undefined): number | undefined => (robot as Robot | undefined)?.spec.arms;
          const fewer = before !== undefined && (arms(object) ?? 0) < (arms(before) ?? 0);
          const message = 'Invalid value: a robot keeps its arms';
          return fewer ? [{ reason: 'FieldValueInvalid', field: 'spec.arms', message }] : [];
        },
      },
    ],
  });
  await client.create(robots, { metadata, spec: { arms: 2 } });
  const patch = (arms: number) => client.patch(robots, metadata, { type: 'merge', body: { spec: { arms } } });
  await patch(3);
  await assert.rejects(patch(1), isInvalid);
});

test('memory API: changes beyond the history limit are Gone', async () => {
  const { client, resourceVersion } = createMemoryApi({ clock: fakeClock(), historyLimit: 3 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await client.create(configMaps, { metadata: { ...metadata, name } });
  const watching = await startWatching(client, configMaps, { resourceVersion });
  assert.ok(isGone(await watching.ended));
});

test('memory API: times, names and UIDs are the same in every run', async () => {
  const run = async (): Promise<KubeObject> => {
    const { client } = createMemoryApi({ clock: fakeClock() });
    const make = () => client.create(configMaps, { metadata: { generateName: 'a-', namespace: 'default' } });
    const [one, other] = [await make(), await make()];
    assert.notEqual(one.metadata.uid, other.metadata.uid);
    return other;
  };
  assert.deepEqual(await run(), await run());
});

test('memory API: objects are copied on input and output', async () => {
  const { client } = createMemoryApi({ clock: fakeClock() });
  const data: Record<string, string> = { colour: 'red' };
  const created = await client.create(configMaps, { metadata, data });
  data['colour'] = 'blue';
  Object.assign(created.data ?? {}, { colour: 'green' });
  assert.deepEqual((await client.get(configMaps, metadata)).data, { colour: 'red' });
});

test('memory API: a watch gets a bookmark every minute and ends after its timeout', async () => {
  const clock = fakeClock();
  const { client } = createMemoryApi({ clock });
  const { metadata: list } = await client.list(configMaps);
  const options = { resourceVersion: list.resourceVersion, timeout: minutes(5) };
  const watching = await startWatching(client, configMaps, options);
  await client.create(configMaps, { metadata });
  await clock.advance(minutes(3));
  assert.equal(watching.bookmarks.length, 3);
  await clock.advance(minutes(2));
  assert.equal(await watching.ended, undefined);
  assert.equal(clock.pending, 0);
});

test('memory API: a closed watch leaves no timer', async () => {
  const clock = fakeClock();
  const { client } = createMemoryApi({ clock });
  const watching = await startWatching(client, configMaps, { timeout: seconds(60) });
  assert.ok(clock.pending > 0);
  watching.close();
  assert.equal(clock.pending, 0);
});

test('memory API: abandoned watches leave no timer and no abort listener', async () => {
  const clock = fakeClock();
  const { client } = createMemoryApi({ clock });
  await client.create(configMaps, { metadata });
  const { signal } = new AbortController();
  for (let round = 0; round < 20; round++) {
    const watch = await client.watch(configMaps, { resourceVersion: '0', timeout: seconds(60), signal });
    for await (const event of watch.events) {
      assert.equal(event.type, 'ADDED');
      break;
    }
  }
  assert.equal(clock.pending, 0);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('memory API: every request is recorded', async () => {
  const { client, requests } = createMemoryApi({ clock: fakeClock() });
  await client.list(configMaps, { namespace: 'default' });
  assert.deepEqual(
    requests.map(({ method, path }) => `${method} ${path}`),
    ['GET /api/v1/namespaces/default/configmaps'],
  );
});

test('memory API: a restored backup has the objects of its time with their UIDs, and ends every watch', async () => {
  const api = createMemoryApi({ clock: fakeClock() });
  const { client } = api;
  const before = await client.create(configMaps, { metadata, data: { day: 'yesterday' } });
  const backup = api.backup();
  const watching = await startWatching(client, configMaps, {});
  await client.patch(configMaps, metadata, { type: 'merge', body: { data: { day: 'today' } } });
  await client.create(configMaps, { metadata: { ...metadata, name: 'later' } });
  api.restore(backup);
  assert.equal(await client.find(configMaps, { ...metadata, name: 'later' }), undefined);
  const { data, metadata: restored } = await client.get(configMaps, metadata);
  assert.deepEqual([data?.['day'], restored.uid], ['yesterday', before.metadata.uid]);
  assert.notEqual(restored.resourceVersion, before.metadata.resourceVersion);
  assert.ok(await watching.ended, 'the watch ended with an error');
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { createMemoryApi } from '../testing/memory-api.ts';
import { configMaps } from './built-in.ts';
import { deleteExact, retryOnConflict } from './safe-writes.ts';

const key = { namespace: 'default', name: 'one' };

function bench() {
  const { client } = createMemoryApi({ clock: fakeClock() });
  const create = () => client.create(configMaps, { metadata: key, data: { count: '0' } });
  const increment = async (): Promise<string> => {
    const before = await client.get(configMaps, key);
    const count = String(Number(before.data?.['count']) + 1);
    return (await client.update(configMaps, { ...before, data: { count } })).data?.['count'] ?? '';
  };
  return { client, create, increment };
}

describe('retryOnConflict', () => {
  test('retryOnConflict loses no update of eight concurrent writers', async () => {
    const { client, create, increment } = bench();
    await create();
    await Promise.all(Array.from({ length: 8 }, () => retryOnConflict(increment)));
    assert.equal((await client.get(configMaps, key)).data?.['count'], '8');
  });

  test('retryOnConflict throws NotFound unless it may recreate the object', async () => {
    const { create, increment } = bench();
    await assert.rejects(retryOnConflict(increment), { reason: 'NotFound' });
    let attempts = 0;
    const recreated = retryOnConflict(
      async () => {
        if (++attempts === 2) await create();
        return increment();
      },
      { orRecreated: true },
    );
    assert.equal(await recreated, '1');
  });
});

describe('deleteExact', () => {
  test('deleteExact deletes the object and reports a second deletion as not done', async () => {
    const { client, create } = bench();
    const object = await create();
    assert.equal(await deleteExact(client, configMaps, object), true);
    assert.equal(await client.find(configMaps, key), undefined);
    assert.equal(await deleteExact(client, configMaps, object), false);
  });

  test('deleteExact leaves a recreated object of the same name alone', async () => {
    const { client, create } = bench();
    const object = await create();
    await deleteExact(client, configMaps, object);
    await create();
    assert.equal(await deleteExact(client, configMaps, object), false);
    assert.ok(await client.find(configMaps, key));
  });

  test('deleteExact with `unchanged` leaves a written object alone', async () => {
    const { client, create, increment } = bench();
    const object = await create();
    await increment();
    assert.equal(await deleteExact(client, configMaps, object, { unchanged: true }), false);
    assert.equal(await deleteExact(client, configMaps, object), true);
  });
});

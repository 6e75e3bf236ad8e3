import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { namespaces } from '../client/built-in.ts';
import { afterWrites } from './after-writes.ts';
import { createMemoryApi } from './memory-api.ts';

test('work of afterWrites runs again only after a write', async () => {
  const api = createMemoryApi({ clock: fakeClock() });
  let runs = 0;
  const names = afterWrites(api, async () => {
    runs += 1;
    return (await api.client.list(namespaces)).items.map(({ metadata }) => metadata.name);
  });
  assert.deepEqual(await names(), await names());
  assert.equal(runs, 1);
  await api.client.create(namespaces, { metadata: { name: 'fleet' } });
  assert.ok((await names()).includes('fleet'));
  assert.equal(runs, 2);
});

test('work of afterWrites that writes runs again at the next call', async () => {
  const api = createMemoryApi({ clock: fakeClock() });
  let left = 2;
  const step = afterWrites(api, async () => {
    if (left > 0) await api.client.create(namespaces, { metadata: { name: `step-${left--}` } });
    return left;
  });
  const results = [await step(), await step(), await step(), await step()];
  assert.deepEqual(results, [1, 0, 0, 0]);
});

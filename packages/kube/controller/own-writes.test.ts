import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { configMaps } from '../client/built-in.ts';
import type { Client } from '../client/client.ts';
import { silentLog } from '../observe/log.ts';
import { createMetrics } from '../observe/metrics.ts';
import { createRuntime } from '../runtime.ts';
import { createMemoryApi } from '../testing/memory-api.ts';
import { settled } from './outcome.ts';

const KEY = { namespace: 'default', name: 'a' };

test('I37 a key is reconciled only after the cache contains its last write', async t => {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  const gate = Promise.withResolvers<void>();
  const stop = new AbortController();
  const cached: (string | undefined)[] = [];
  let wake: () => void = () => {};
  await api.client.create(configMaps, { metadata: KEY, data: { value: '1' } });
  const runtime = createRuntime({
    ...{ name: 'test.dev/test', identity: 'one', clock, log: silentLog, metrics: createMetrics() },
    client: holdEvents(api.client, gate.promise),
  });
  runtime.add({
    name: 'test',
    resource: configMaps,
    wakeOn: () => false,
    wakes: given => {
      wake = () => given(KEY);
      return () => {};
    },
    async reconcile({ client, cache }, key) {
      cached.push(cache(configMaps).get(key)?.data?.['value']);
      if (cached.length === 1) await client.patch(configMaps, key, { type: 'merge', body: { data: { value: '2' } } });
      return settled();
    },
  });
  const running = runtime.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await clock.settle();
    await running;
  });
  await clock.settle();
  wake();
  await clock.settle();
  gate.resolve();
  await clock.settle();
  assert.deepEqual(cached, ['1', '2'], 'no reconcile sees the state that the controller itself has replaced');
});

/** A client whose watches deliver no event before `until`. */
const holdEvents = (client: Client, until: Promise<void>): Client => ({
  ...client,
  async watch(resource, options) {
    const watch = await client.watch(resource, options);
    async function* held(): typeof watch.events {
      for await (const event of watch.events) {
        await until;
        yield event;
      }
    }
    return { ...watch, events: held() };
  },
});

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { defineError } from '@minifleet/errors';
import { configMaps, type KubeSecret, namespaces, secrets } from '../client/built-in.ts';
import type { ObjectKey } from '../object.ts';
import { silentLog } from '../observe/log.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { createRuntime } from '../runtime.ts';
import { createMemoryApi, type MemoryApi } from '../testing/memory-api.ts';
import { type Context, type ControllerDefinition, mapped, owned } from './definition.ts';
import { againIn, type Outcome, settled, waitForWatch } from './outcome.ts';

const BROKEN = defineError('BROKEN', { retry: 'backoff', reason: 'Broken', text: '{what} is broken' });
const WRONG_SPEC = defineError('WRONG_SPEC', {
  retry: 'untilSpecChanges',
  reason: 'WrongSpec',
  text: 'the spec is wrong',
});
const LATER = defineError('LATER', { retry: { after: seconds(30) }, reason: 'Later', text: 'come back later' });

describe('controller', () => {
  let clock: FakeClock;
  let api: MemoryApi;
  let metrics: Metrics;
  let stop: AbortController;
  let running: Promise<void>;
  /** `key@seconds` of every pass. */
  let passes: string[];

  beforeEach(() => {
    clock = fakeClock();
    api = createMemoryApi({ clock });
    metrics = createMetrics();
    stop = new AbortController();
    passes = [];
  });
  afterEach(async () => {
    stop.abort();
    await clock.settle();
    await running;
  });

  async function start(
    reconcile: (context: Context, key: ObjectKey) => Promise<Outcome> | Outcome,
    more: Partial<ControllerDefinition> = {},
  ): Promise<void> {
    const startedAt = clock.now();
    const runtime = createRuntime({
      name: 'test.dev/test',
      identity: 'one',
      client: api.client,
      clock,
      log: silentLog,
      metrics,
    });
    runtime.add({
      name: 'test',
      resource: configMaps,
      selection: { namespace: 'default' },
      async reconcile(context, key) {
        passes.push(`${key.name}@${(clock.now() - startedAt) / 1_000}`);
        return reconcile(context, key);
      },
      ...more,
    });
    running = runtime.run(stop.signal);
    await clock.settle();
  }
  const write = async (name: string, value = '1'): Promise<void> => {
    const object = { metadata: { namespace: 'default', name }, data: { value } };
    await api.client.apply(configMaps, object, { fieldManager: 'test' });
    await clock.settle();
  };
  const count = async (metric: { get(): Promise<{ values: { value: number }[] }> }): Promise<number> =>
    (await metric.get()).values.reduce((sum, { value }) => sum + value, 0);

  test('a controller reconciles every existing object once, then every changed object', async () => {
    await write('a');
    await start(settled);
    await write('b');
    await write('a', '2');
    assert.deepEqual(passes, ['a@0', 'b@0', 'a@0']);
  });

  test('a controller reconciles a deleted object once more', async () => {
    await write('a');
    const found: boolean[] = [];
    await start(({ cache }, key) => {
      found.push(cache(configMaps).get(key) !== undefined);
      return settled();
    });
    await api.client.delete(configMaps, { namespace: 'default', name: 'a' });
    await clock.settle();
    assert.deepEqual(found, [true, false]);
  });

  test('a controller requeues a key after againIn, and not after settled or waitForWatch', async () => {
    await write('settled');
    await write('waiting');
    await write('again');
    await start((_, { name }) => {
      if (name === 'again' && passes.length < 5) return againIn(seconds(60), 'to look');
      return name === 'waiting' ? waitForWatch('for a watch') : settled();
    });
    await clock.advance(minutes(10));
    assert.deepEqual(passes, ['again@0', 'settled@0', 'waiting@0', 'again@60', 'again@120']);
  });

  test('a failing reconcile is retried with back-off, and a success resets it', async () => {
    await write('a');
    await start(() => {
      if (passes.length <= 4) throw BROKEN({ what: 'it' });
      return settled();
    });
    await clock.advance(minutes(1));
    assert.deepEqual(passes, ['a@0', 'a@0.05', 'a@0.15', 'a@0.35', 'a@0.75']);
    assert.equal(await count(metrics.reconcileErrors), 4);
    assert.equal(await count(metrics.queueRetries), 4);
  });

  test('a reconcile error that waits for the spec is not retried until the object changes', async () => {
    await write('a');
    await start(() => {
      throw WRONG_SPEC();
    });
    await clock.advance(minutes(60));
    assert.deepEqual(passes, ['a@0']);
    assert.equal(await count(metrics.terminalErrors), 1);
    await write('a', '2');
    assert.equal(passes.length, 2);
  });

  test('a reconcile error with its own delay is retried after that delay', async () => {
    await write('a');
    await start(() => {
      if (passes.length === 1) throw LATER();
      return settled();
    });
    await clock.advance(minutes(5));
    assert.deepEqual(passes, ['a@0', 'a@30']);
  });

  test('an exception in a reconcile is counted as a panic and does not stop other keys', async () => {
    await write('a');
    await write('b');
    await start((_, { name }) => {
      if (name === 'a' && passes.length < 3) return (undefined as unknown as { fault(): Outcome }).fault();
      return settled();
    });
    await clock.advance(seconds(1));
    assert.deepEqual(passes, ['a@0', 'b@0', 'a@0.05']);
    assert.equal(await count(metrics.panics), 1);
  });

  test('a key is never reconciled concurrently, and a change meanwhile requeues it', async () => {
    await write('a');
    let inside = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    await start(async () => {
      most = Math.max(most, ++inside);
      await gate.promise;
      inside--;
      return settled();
    });
    for (const value of ['2', '3', '4']) await write('a', value);
    gate.resolve();
    await clock.settle();
    assert.equal(most, 1);
    assert.equal(passes.length, 2);
  });

  test('a controller is not woken by its own status writes', async () => {
    await start(
      async ({ client, cache }, key) => {
        const namespace = cache(namespaces).get(key);
        if (namespace)
          await client.update(
            namespaces,
            { ...namespace, status: { phase: 'Active', conditions: [condition(passes.length)] } } as never,
            { subresource: 'status' },
          );
        return settled();
      },
      { resource: namespaces, selection: {}, concurrency: 1 },
    );
    await clock.advance(minutes(5));
    assert.equal(passes.length, 4, 'one for each of the four namespaces');
    await api.client.patch(
      namespaces,
      { name: 'default' },
      { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
    );
    await clock.settle();
    assert.equal(passes.length, 5);
  });

  test('an owned object wakes its old and its new owner', async () => {
    await write('a');
    await write('b');
    await start(settled, { watches: [owned(secrets, configMaps)] });
    passes.length = 0;
    const give = async (name: string): Promise<void> => {
      const { uid = '' } = (await api.client.get(configMaps, { namespace: 'default', name })).metadata;
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true }];
      const secret = { metadata: { namespace: 'default', name: 's', ownerReferences } };
      await api.client.apply(secrets, secret, { fieldManager: 'test' });
      await clock.settle();
    };
    await give('a');
    assert.deepEqual(passes, ['a@0']);
    await give('b');
    assert.deepEqual(passes.slice(1).sort(), ['a@0', 'b@0']);
  });

  test('a mapped object wakes every key it maps to', async () => {
    const keys = [
      { namespace: 'default', name: 'x' },
      { namespace: 'default', name: 'y' },
    ];
    await start(settled, { watches: [mapped(secrets, () => keys)] });
    await api.client.create(secrets, { metadata: { namespace: 'default', name: 's' } });
    await clock.settle();
    assert.deepEqual(passes, ['x@0', 'y@0']);
  });

  test('wakeOn filters updates of a watched object, but not its creation and deletion', async () => {
    const keysFor = () => [{ namespace: 'default', name: 'x' }];
    const isNews = (previous: KubeSecret, secret: KubeSecret): boolean => previous.data?.['a'] !== secret.data?.['a'];
    await start(settled, { watches: [mapped(secrets, keysFor, {}, isNews)] });
    const wakes = async (act: () => Promise<unknown>): Promise<number> => {
      const before = passes.length;
      await act();
      await clock.settle();
      return passes.length - before;
    };
    const key = { namespace: 'default', name: 's' };
    const put = (data: Record<string, string>) => () =>
      api.client.apply(secrets, { metadata: key, data }, { fieldManager: 'test' });
    assert.equal(await wakes(put({ a: 'MQ==', b: 'MQ==' })), 1);
    assert.equal(await wakes(put({ a: 'MQ==', b: 'Mg==' })), 0);
    assert.equal(await wakes(put({ a: 'Mg==', b: 'Mg==' })), 1);
    assert.equal(await wakes(() => api.client.delete(secrets, key)), 1);
  });

  test('an external wake reconciles a key until the controller stops', async () => {
    let wake: (key: ObjectKey) => void = () => {};
    let listening = true;
    await write('a');
    await start(settled, {
      wakes: given => {
        wake = given;
        return () => {
          listening = false;
        };
      },
    });
    wake({ namespace: 'default', name: 'a' });
    await clock.settle();
    assert.deepEqual(passes, ['a@0', 'a@0']);
    stop.abort();
    await running;
    assert.equal(listening, false);
  });

  test('the first read of a resource that a controller does not watch throws', async () => {
    await write('a');
    let message = '';
    await start(({ cache }) => {
      try {
        cache(secrets);
      } catch (error) {
        message = (error as Error).message;
      }
      return settled();
    });
    assert.equal(message, 'controller test reads secrets without watching them: add them to its watches');
  });

  test('a reconcile that exceeds its timeout is aborted and keeps its key until it ends', async () => {
    await write('a');
    let aborted = false;
    const gate = Promise.withResolvers<void>();
    await start(
      async ({ signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        await gate.promise;
        return settled();
      },
      { timeout: seconds(10) },
    );
    await write('a', '2');
    await clock.advance(seconds(11));
    assert.equal(aborted, true);
    assert.equal(passes.length, 1);
    assert.equal(await count(metrics.timeouts), 1);
    assert.match(
      await metrics.registry.metrics(),
      /workqueue_longest_running_processor_seconds\{name="test",controller="test"\} 11/,
    );
    gate.resolve();
    await clock.settle();
    assert.equal(passes.length, 2);
  });

  test('a stopping controller finishes running reconciles, starts none and leaves no timer', async () => {
    await write('a');
    await write('b');
    const gate = Promise.withResolvers<void>();
    let ended = 0;
    await start(
      async () => {
        await gate.promise;
        ended++;
        return againIn(seconds(1), 'more');
      },
      { concurrency: 1 },
    );
    stop.abort();
    await clock.settle();
    gate.resolve();
    await running;
    assert.deepEqual([passes.length, ended], [1, 1]);
    assert.equal(clock.pending, 0);
  });

  test('a 429 of the API server is retried inside the reconcile and not counted as an error', async () => {
    await write('a');
    api.faults.failNext({ match: { method: 'PATCH' }, status: 429, reason: 'TooManyRequests', retryAfter: seconds(5) });
    await start(async ({ client }, key) => {
      await client.patch(configMaps, key, { type: 'merge', body: { data: { seen: 'yes' } } });
      return settled();
    });
    await clock.advance(seconds(10));
    assert.equal(await count(metrics.reconcileErrors), 0);
    assert.equal((await api.client.get(configMaps, { namespace: 'default', name: 'a' })).data?.['seen'], 'yes');
  });
});

const condition = (number: number): object => ({
  type: 'Seen',
  status: 'True',
  reason: 'Seen',
  message: String(number),
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

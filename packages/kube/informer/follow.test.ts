import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { milliseconds, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { configMaps } from '../client/built-in.ts';
import { silentLog } from '../observe/log.ts';
import { createMemoryApi, type MemoryApi } from '../testing/memory-api.ts';
import { follow } from './follow.ts';

describe('following a collection', () => {
  let clock: FakeClock;
  let api: MemoryApi;
  let present: string[];
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(async () => {
    clock = fakeClock();
    api = createMemoryApi({ clock });
    present = [];
    stop = new AbortController();
    const events = {
      present: (object: { metadata: { name: string } }) => void present.push(object.metadata.name),
      removed: () => undefined,
      listed: () => undefined,
      trouble: () => undefined,
    };
    running = follow({ client: api.client, resource: configMaps, clock, log: silentLog }, events, stop.signal);
    await clock.settle();
  });
  afterEach(async () => {
    stop.abort();
    await clock.settle();
    await running;
  });

  const write = async (name: string): Promise<void> => {
    await api.client.create(configMaps, { metadata: { namespace: 'default', name } });
    await clock.settle();
  };

  test('a watch that delivered events before it broke is resumed without growing back-off', async () => {
    for (let times = 0; times < 10; times++) {
      await write(`told-${times}`);
      api.faults.dropWatches();
      await clock.advance(seconds(1));
      await write(`after-${times}`);
      assert.equal(present.at(-1), `after-${times}`);
    }
  });

  test('a watch with an expired resourceVersion is replaced by a list immediately', async () => {
    await write('a');
    api.faults.failNext({ match: { watch: true }, status: 410 });
    api.faults.dropWatches();
    await write('b');
    // The pause after the lost watch, and none after the answer that the version is gone.
    await clock.advance(milliseconds(150));
    assert.deepEqual(present, ['a', 'a', 'b']);
  });
});

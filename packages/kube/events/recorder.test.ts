import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { type ConfigMap, configMaps, events, type KubeEvent } from '../client/built-in.ts';
import { silentLog } from '../observe/log.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { createMemoryApi, type MemoryApi } from '../testing/memory-api.ts';
import { createEventRecorder, type EventRecorder } from './recorder.ts';

describe('event recorder', () => {
  let clock: FakeClock;
  let api: MemoryApi;
  let metrics: Metrics;
  let recorder: EventRecorder;
  let object: ConfigMap;

  beforeEach(async () => {
    clock = fakeClock();
    api = createMemoryApi({ clock });
    metrics = createMetrics();
    recorder = createEventRecorder({
      client: api.client,
      clock,
      log: silentLog,
      metrics,
      controller: 'minifleet.dev/test',
      instance: 'test-1',
    });
    object = await api.client.create(configMaps, { metadata: { namespace: 'default', name: 'a' } });
  });

  const record = (note: string): void =>
    recorder.record({ regarding: object, type: 'Normal', reason: 'Claimed', action: 'Claim', note });
  const written = async (): Promise<KubeEvent[]> => {
    await recorder.flush();
    return (await api.client.list(events, { namespace: 'default' })).items;
  };
  const dropped = async (): Promise<Record<string, number>> =>
    Object.fromEntries((await metrics.eventsDropped.get()).values.map(({ labels, value }) => [labels.cause, value]));

  test('a recorded event has object, action, reporting controller and note', async () => {
    record('host mini-1 is ours');
    const [event] = await written();
    assert.deepEqual(
      {
        regarding: event?.regarding?.name,
        action: event?.action,
        by: event?.reportingController,
        note: event?.note,
        series: event?.series,
      },
      { regarding: 'a', action: 'Claim', by: 'minifleet.dev/test', note: 'host mini-1 is ours', series: undefined },
    );
  });

  test('a repeated event is one event with a count, and a different one is a new event', async () => {
    for (let times = 0; times < 5; times++) record('the same');
    record('another');
    const all = await written();
    assert.deepEqual(
      all.map(({ note, series }) => [note, series?.count]),
      [
        ['the same', 5],
        ['another', undefined],
      ],
    );
  });

  test('a repeated event after ten minutes is a new event', async () => {
    record('the same');
    await clock.advance(minutes(10));
    record('the same');
    assert.equal((await written()).length, 2);
  });

  test('the event recorder writes 25 events, then one in five minutes', async () => {
    for (let number = 0; number < 100; number++) record(`number ${number}`);
    assert.equal((await written()).length, 25);
    await clock.advance(minutes(5));
    record('later');
    assert.equal((await written()).length, 26);
    assert.deepEqual(await dropped(), { 'too-many': 75 });
  });

  test('an event note that is too long is truncated', async () => {
    record('x'.repeat(5_000));
    assert.equal((await written())[0]?.note?.length, 1_024);
  });

  test('an event that cannot be written is counted and does not throw', async () => {
    api.faults.failNext({ match: { method: 'POST' }, status: 403, reason: 'Forbidden' });
    record('refused');
    record('taken');
    await clock.advance(seconds(1));
    assert.deepEqual(
      (await written()).map(({ note }) => note),
      ['taken'],
    );
    assert.deepEqual(await dropped(), { 'write-failed': 1 });
  });
});

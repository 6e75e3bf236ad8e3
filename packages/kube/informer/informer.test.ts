import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { type ConfigMap, configMaps } from '../client/built-in.ts';
import { silentLog } from '../observe/log.ts';
import { createMemoryApi, type MemoryApi } from '../testing/memory-api.ts';
import { createInformer, type Informer, type ObjectChange, type Trouble } from './informer.ts';

describe('informer', () => {
  let clock: FakeClock;
  let api: MemoryApi;
  let informer: Informer<ConfigMap>;
  let reported: string[];
  let troubles: Trouble[];
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    clock = fakeClock();
    api = createMemoryApi({ clock });
    reported = [];
    troubles = [];
    stop = new AbortController();
    informer = createInformer({
      client: api.client,
      resource: configMaps,
      clock,
      log: silentLog,
      pageSize: 2,
      indexes: { value: object => (object.data?.['value'] ? [object.data['value']] : []) },
      onTrouble: trouble => troubles.push(trouble),
    });
    informer.subscribe(change => reported.push(tell(change)));
  });
  afterEach(async () => {
    stop.abort();
    await clock.settle();
    await running;
    assert.equal(clock.pending, 0, 'a stopped informer leaves no timer');
  });

  const tell = (change: ObjectChange<ConfigMap>): string => {
    const name = `${change.type} ${change.object.metadata.name}=${change.object.data?.['value']}`;
    return change.type === 'added' && change.initial ? `${name} (initial)` : name;
  };
  const start = async (): Promise<void> => {
    running = informer.run(stop.signal);
    await clock.settle();
  };
  const write = async (name: string, value: string): Promise<void> => {
    await api.client.apply(
      configMaps,
      { metadata: { namespace: 'default', name }, data: { value } },
      { fieldManager: 'test' },
    );
    await clock.settle();
  };
  const remove = async (name: string): Promise<void> => {
    await api.client.delete(configMaps, { namespace: 'default', name });
    await clock.settle();
  };
  const lists = (): number => api.requests.filter(({ query }) => query?.['limit'] && !query['continue']).length;

  test('an informer reports existing objects page by page, then every change', async () => {
    for (const name of ['a', 'b', 'c']) await write(name, '1');
    await start();
    assert.ok(informer.hasSynced);
    await write('b', '2');
    await remove('c');
    await write('d', '1');
    assert.deepEqual(reported, [
      'added a=1 (initial)',
      'added b=1 (initial)',
      'added c=1 (initial)',
      'updated b=2',
      'deleted c=1',
      'added d=1',
    ]);
    assert.equal(informer.cache.size, 3);
  });

  test('a late informer subscriber receives all cached objects', async () => {
    await write('a', '1');
    await start();
    const late: string[] = [];
    const unsubscribe = informer.subscribe(change => late.push(tell(change)));
    unsubscribe();
    await write('b', '1');
    assert.deepEqual(late, ['added a=1 (initial)']);
  });

  test('an informer resumes a lost watch without a new list, duplicates or missed changes', async () => {
    await start();
    await write('a', '1');
    api.faults.dropWatches();
    await write('a', '2');
    await write('b', '1');
    await clock.advance(seconds(1));
    assert.deepEqual(reported, ['added a=1', 'updated a=2', 'added b=1']);
    assert.deepEqual(troubles, ['watch-failed']);
    assert.equal(lists(), 1);
  });

  test('an informer with an expired version lists once and reports only the differences', async () => {
    for (const name of ['kept', 'changed', 'gone']) await write(name, '1');
    await start();
    reported.length = 0;
    api.faults.failNext({ match: { watch: true }, status: 503, times: 2 });
    api.faults.dropWatches();
    await write('changed', '2');
    await remove('gone');
    await write('new', '1');
    api.faults.expireHistory();
    await clock.advance(seconds(30));
    assert.deepEqual(reported.sort(), ['added new=1', 'deleted gone=1', 'updated changed=2']);
    assert.equal(lists(), 2);
    assert.equal(troubles.filter(trouble => trouble === 'relisted').length, 1);
  });

  test('an object recreated while the watch was down is reported as two changes', async () => {
    await write('a', '1');
    await start();
    reported.length = 0;
    api.faults.failNext({ match: { watch: true }, status: 503 });
    api.faults.dropWatches();
    await remove('a');
    await write('a', '2');
    api.faults.expireHistory();
    await clock.advance(seconds(30));
    assert.deepEqual(reported, ['deleted a=1', 'added a=2']);
  });

  test('an informer backs off while the server fails for ten minutes, and then catches up', async () => {
    api.faults.failNext({ status: 500, times: 1_000 });
    await start();
    await clock.advance(minutes(10));
    const asked = api.requests.length;
    assert.ok(asked < 40, `asked ${asked} times in ten minutes`);
    api.faults.clear();
    await write('a', '1');
    await clock.advance(minutes(1));
    assert.deepEqual(reported, ['added a=1 (initial)']);
  });

  test('an informer does not loop when watches end at once without an event', async () => {
    await start();
    const before = api.requests.length;
    for (let times = 0; times < 50; times++) {
      api.faults.dropWatches();
      await clock.advance(seconds(1));
    }
    assert.ok(api.requests.length - before <= 50);
  });

  test('a quiet watch ends after its timeout and is resumed without a list', async () => {
    await start();
    await clock.advance(minutes(30));
    await write('a', '1');
    assert.deepEqual(reported, ['added a=1']);
    assert.deepEqual(troubles, []);
    assert.equal(lists(), 1);
  });

  test('an informer listener that throws does not affect other listeners', async () => {
    informer.subscribe(() => {
      throw new Error('mine');
    });
    const others: string[] = [];
    informer.subscribe(change => others.push(tell(change)));
    await start();
    await write('a', '1');
    assert.deepEqual(others, ['added a=1']);
    assert.deepEqual(troubles, ['listener-threw']);
  });

  test('cached objects are read-only and have no managedFields', async () => {
    await write('a', '1');
    await start();
    const [object] = informer.cache.list();
    assert.ok(object);
    assert.equal(object.metadata.managedFields, undefined);
    assert.throws(() => Object.assign(object.data ?? {}, { value: '2' }), TypeError);
  });

  test('an informer index follows changes of its objects', async () => {
    await start();
    await write('a', 'red');
    await write('b', 'red');
    await write('b', 'blue');
    const names = (value: string): string[] => informer.cache.by('value', value).map(({ metadata }) => metadata.name);
    assert.deepEqual([names('red'), names('blue'), names('green')], [['a'], ['b'], []]);
    await remove('a');
    assert.deepEqual(names('red'), []);
    assert.throws(() => informer.cache.by('colour', 'red'), /no index "colour"; the informer has: value/);
  });
});

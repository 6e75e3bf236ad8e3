import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { names, type RunnerPool, type RunnerPoolSpec, runnerPool } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { createMetrics, createRuntime, events, nodes, silentLog } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { type Autoscaler, addAutoscaler } from './autoscaler.ts';
import { ownSignals, type SignalSource, type Signals } from './signals.ts';

const quiet: Signals = { claimed: 0, occupied: 0, queued: 0, withheld: 0, p95: 0 };
const TICK = seconds(5);

describe('the autoscaler', () => {
  let clock: FakeClock;
  let api: MemoryApi;
  let stop: AbortController;
  let running: Promise<void>;
  let scaler: Autoscaler;
  let demands: Map<string, Signals | Error>;

  const reported: SignalSource = async ({ metadata: { name } }) => {
    const demand = demands.get(name) ?? quiet;
    if (demand instanceof Error) throw demand;
    return demand;
  };

  beforeEach(() => {
    clock = fakeClock();
    api = createMemoryApi({ clock, crds: [runnerPool.crd()] });
    stop = new AbortController();
    demands = new Map();
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  async function start(source: SignalSource = reported): Promise<void> {
    const { client } = api;
    const runtime = createRuntime({
      ...{ name: 'test.dev/runners', identity: 'test', client, clock, log: silentLog, metrics: createMetrics() },
    });
    scaler = addAutoscaler(runtime, { clock, source, selection: { namespace: 'default' } });
    running = runtime.run(stop.signal);
    await clock.advance(TICK);
  }

  const key = (name: string) => ({ namespace: 'default', name });
  type Scaling = Partial<RunnerPoolSpec['autoscaling']>;
  async function pool(name: string, replicas: number, autoscaling: Scaling, spec: object = {}): Promise<void> {
    const { metadata: _, ...example } = runnerPool.example;
    await api.client.create(runnerPool.resource, {
      metadata: key(name),
      // One runner fits on each Mac.
      spec: {
        ...example.spec,
        podMemoryMB: 14_336,
        replicas,
        autoscaling: { enabled: true, maxReplicas: 30, ...autoscaling },
        ...spec,
      },
    } as never);
  }
  async function macs(count: number, spec: object = {}, from = 0): Promise<void> {
    for (let number = from; number < from + count; number++) {
      const labels = { [names.labels.fleet]: 'runners' };
      const allocatable = { cpu: '8', memory: '14Gi', 'minifleet.dev/macos-vm': '2' };
      const metadata = { name: `mac-${number}`, labels };
      await api.client.create(nodes, { metadata, spec });
      const status = { conditions: [{ type: 'Ready', status: 'True' }], allocatable };
      const patch = { type: 'merge', body: { status } } as const;
      await api.client.patch(nodes, { name: metadata.name }, patch, { subresource: 'status' });
    }
  }
  const read = (name: string): Promise<RunnerPool> => api.client.get(runnerPool.resource, key(name));
  const replicas = async (name: string): Promise<number> => (await read(name)).spec.replicas;
  const patches = () => api.requests.filter(({ method }) => method === 'PATCH').length;

  test('a pool without autoscaling is not scaled', async () => {
    await pool('a', 3, { enabled: false });
    demands.set('a', { ...quiet, queued: 9 });
    await start();
    assert.equal(await replicas('a'), 3);
    assert.deepEqual(scaler.decisions(), []);
  });

  test('a pool without maxReplicas is not scaled', async () => {
    await pool('a', 3, { maxReplicas: 0 });
    demands.set('a', { ...quiet, queued: 9 });
    await start();
    assert.equal(await replicas('a'), 3);
  });

  test('scale-up is immediate: five claimed, three queued and a floor of one give nine', async () => {
    await pool('a', 2, {});
    demands.set('a', { ...quiet, claimed: 5, queued: 3, p95: 5 });
    await start();
    assert.equal(await replicas('a'), 9);
    const { items } = await api.client.list(events, { namespace: 'default' });
    assert.deepEqual(
      items.map(({ reason }) => reason),
      ['ScaledUp'],
    );
  });

  test('scale-down waits for the whole cooldown and is recorded in the status', async () => {
    await pool('a', 10, { minWarmPoolFloor: 2 });
    await start();
    await clock.advance(minutes(4));
    assert.equal(await replicas('a'), 10);
    await clock.advance(minutes(1));
    const { spec, status } = await read('a');
    assert.equal(spec.replicas, 2);
    assert.ok(Math.abs(Date.parse(status?.lastScaleDownAt ?? '') - clock.now()) <= TICK);
  });

  test('a pool at its desired size is not written', async () => {
    await pool('a', 1, {});
    await start();
    await clock.advance(minutes(10));
    assert.equal(patches(), 0);
  });

  test('unavailable demand keeps replicas and does not count as low demand', async () => {
    await pool('a', 10, {});
    await start();
    await clock.advance(minutes(3));
    demands.set('a', new Error('no answer'));
    await clock.advance(minutes(3));
    assert.equal(await replicas('a'), 10);
    demands.delete('a');
    await clock.advance(minutes(4));
    assert.equal(await replicas('a'), 10);
    await clock.advance(minutes(2));
    assert.equal(await replicas('a'), 1);
  });

  test('a pool is scaled alone if the demand of another pool is unavailable', async () => {
    await macs(1);
    await pool('a', 1, { minWarmPoolFloor: 4 });
    await pool('b', 1, {});
    demands.set('b', new Error('no answer'));
    await start();
    assert.equal(await replicas('a'), 4);
  });

  test('on three Macs jobs keep their runners and an idle pool is reduced', async () => {
    await macs(3);
    await pool('busy', 0, {});
    await pool('idle', 0, { minWarmPoolFloor: 3 });
    demands.set('busy', { ...quiet, claimed: 2 });
    await start();
    assert.deepEqual([await replicas('busy'), await replicas('idle')], [2, 1]);
  });

  test('on nine Macs every pool gets its target', async () => {
    await macs(9);
    await pool('busy', 0, {});
    await pool('idle', 0, { minWarmPoolFloor: 3 });
    demands.set('busy', { ...quiet, claimed: 2 });
    await start();
    assert.deepEqual([await replicas('busy'), await replicas('idle')], [3, 3]);
  });

  test('unavailable Macs do not count as capacity', async () => {
    await macs(1);
    await macs(5, { unschedulable: true }, 1);
    await pool('a', 0, { minWarmPoolFloor: 4 });
    await start();
    assert.equal(await replicas('a'), 1);
  });

  test('without any available Mac a pool is scaled alone', async () => {
    await macs(2, { unschedulable: true });
    await pool('a', 0, { minWarmPoolFloor: 4 });
    await start();
    assert.equal(await replicas('a'), 4);
  });

  test('slots of a pool with a fixed size are not allocated to others', async () => {
    await macs(4);
    await pool('fixed', 3, { enabled: false });
    await pool('a', 0, { minWarmPoolFloor: 4 });
    await start();
    assert.deepEqual([await replicas('fixed'), await replicas('a')], [3, 1]);
  });

  test('pools of another fleet are ignored', async () => {
    await macs(2);
    await pool('a', 0, { minWarmPoolFloor: 2 });
    await pool('b', 0, { minWarmPoolFloor: 9 }, { fleetSelector: 'others' });
    await start();
    assert.equal(await replicas('a'), 2);
  });

  test('a deleted pool, or one without autoscaling, has no decision', async () => {
    await pool('a', 1, {});
    await start();
    assert.equal(scaler.decisions().length, 1);
    const off = { type: 'merge', body: { spec: { autoscaling: { enabled: false } } } } as const;
    await api.client.patch(runnerPool.resource, key('a'), off);
    await clock.advance(TICK);
    assert.deepEqual(scaler.decisions(), []);
  });

  test('without a signal source a starting job scales the pool up at once', async () => {
    await pool('a', 1, { minWarmPoolFloor: 1 });
    await start(ownSignals);
    assert.equal(await replicas('a'), 1);
    const busy = { type: 'merge', body: { status: { busy: 1 } } } as const;
    await api.client.patch(runnerPool.resource, key('a'), busy, { subresource: 'status' });
    await clock.settle();
    assert.equal(await replicas('a'), 2);
  });
});

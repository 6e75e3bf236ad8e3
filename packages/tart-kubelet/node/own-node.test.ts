import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { type Node, nodes, silentLog } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { judgeNode } from './node-conditions.ts';
import { createOwnNode, type OwnNode } from './own-node.ts';
import { settingsForTests, statusForTests, wellLooks } from './testing/node-for-tests.ts';

interface Bench {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly node: OwnNode;
  readonly state: { looks: typeof wellLooks; registered: number };
  /** Writes since the last call, as `METHOD path`. */
  written(): string[];
  stored(): Promise<Node>;
  stop(): Promise<void>;
}

const key = { name: 'mini-01' };

async function open(prepare?: (api: MemoryApi) => Promise<unknown>): Promise<Bench> {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  await prepare?.(api);
  const state = { looks: wellLooks, registered: 0 };
  const node = createOwnNode({
    client: api.client,
    clock,
    log: silentLog,
    settings: settingsForTests(),
    status: () => statusForTests({ findings: judgeNode(state.looks) }),
    onRegistered: () => {
      state.registered += 1;
    },
  });
  const stop = new AbortController();
  const running = node.run(stop.signal);
  await clock.settle();
  let seen = 0;
  return {
    api,
    clock,
    node,
    state,
    written() {
      const news = api.requests.slice(seen).filter(({ method }) => method !== 'GET');
      seen = api.requests.length;
      return news.map(({ method, path }) => `${method} ${path}`);
    },
    stored: () => api.client.get(nodes, key),
    async stop() {
      stop.abort();
      await running;
      assert.equal(clock.pending, 0);
    },
  };
}

const STATUS = 'PATCH /api/v1/nodes/mini-01/status';

test('a Node is registered once, and its status is not sent again for minutes while nothing changes', async () => {
  const bench = await open();
  const node = await bench.stored();
  assert.equal(node.spec?.providerID, 'scw-applesilicon://fr-par-1/4a6d');
  assert.equal(node.metadata.labels?.['tuist.dev/fleet'], 'runners');
  assert.deepEqual(bench.written().slice(0, 1), ['POST /api/v1/nodes']);
  await bench.clock.advance(minutes(2));
  assert.deepEqual(bench.written(), []);
  await bench.clock.advance(minutes(1));
  assert.deepEqual(bench.written(), [STATUS]);
  await bench.stop();
});

test('a changed Node condition is sent immediately', async () => {
  const bench = await open();
  bench.written();
  bench.state.looks = { ...wellLooks, guestsRecovered: false };
  bench.node.refresh();
  await bench.clock.settle();
  assert.deepEqual(bench.written(), [STATUS]);
  const ready = (await bench.stored()).status?.conditions?.find(({ type }) => type === 'Ready');
  assert.equal(ready?.status, 'False');
  await bench.stop();
});

test('I37 a Node deleted by hand is recreated immediately, with provider ID, labels and status', async () => {
  const bench = await open();
  const before = await bench.stored();
  await bench.api.client.delete(nodes, key);
  await bench.clock.settle();
  const after = await bench.stored();
  assert.notEqual(after.metadata.uid, before.metadata.uid);
  assert.deepEqual(after.spec, before.spec);
  assert.deepEqual(after.metadata.labels, before.metadata.labels);
  assert.equal(bench.state.registered, 2);
  await bench.stop();
});

test('I20 an existing Node without a provider ID gets one; its taints and foreign labels stay', async () => {
  const bench = await open(({ client }) =>
    client.create(nodes, {
      metadata: { ...key, labels: { team: 'a' } },
      spec: { taints: [{ key: 'own', effect: 'NoSchedule' }] },
    }),
  );
  const { spec, metadata } = await bench.stored();
  assert.equal(spec?.providerID, 'scw-applesilicon://fr-par-1/4a6d');
  assert.deepEqual(spec?.taints, [{ key: 'own', effect: 'NoSchedule' }]);
  assert.equal(metadata.labels?.['team'], 'a');
  assert.equal(metadata.labels?.['kubernetes.io/os'], 'darwin');
  await bench.stop();
});

test('an overwritten Node condition is restored, and foreign conditions stay', async () => {
  const bench = await open();
  const foreign = { type: 'Foreign', status: 'True', reason: 'x', message: 'x' };
  const body = { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }, foreign] } };
  await bench.api.client.patch(nodes, key, { type: 'strategic', body }, { subresource: 'status' });
  await bench.clock.settle();
  const { conditions = [] } = (await bench.stored()).status ?? {};
  assert.equal(conditions.find(({ type }) => type === 'Ready')?.status, 'True');
  assert.ok(conditions.some(({ type }) => type === 'Foreign'));
  await bench.stop();
});

test('Node registration backs off while the API server fails, and succeeds when it is back', async () => {
  const bench = await open(async api =>
    api.faults.failNext({ status: 500, match: { path: /nodes$/, watch: false }, times: 20 }),
  );
  await bench.clock.advance(seconds(60));
  assert.ok(bench.written().length < 30);
  await bench.clock.advance(minutes(2));
  assert.equal((await bench.stored()).metadata.name, 'mini-01');
  await bench.stop();
});

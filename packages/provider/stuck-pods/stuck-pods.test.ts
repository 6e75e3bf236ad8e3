import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createMetrics, createRuntime, events, nodes, pods, silentLog } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import { addStuckPodsController } from './stuck-pods-controller.ts';
import type { StuckReport } from './stuck-report.ts';

const { vmCleanup } = names.finalizers;
const key = (name: string) => ({ namespace: 'default', name });
const ended = { phase: 'Succeeded', containerStatuses: [{ name: 'vm', state: { terminated: { exitCode: 0 } } }] };
const running = { phase: 'Running', containerStatuses: [{ name: 'vm', state: { running: {} } }] };

/** The controller under way over an API in memory, with two Nodes: `ours` and `older`, by the agent they run. */
async function bench(t: { after(end: () => Promise<void>): void }) {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  const { client } = api;
  const reports: StuckReport[] = [];
  const settle = async () => {
    for (let turn = 0; turn < 8; turn++) await clock.settle();
  };
  const node = async (name: string, agent: 'ours' | 'older', ready = 'True') => {
    const labels = {
      [names.labels.runtime]: names.labelValues.runtimeTart,
      ...(agent === 'ours' ? { [names.labels.agentVersion]: '0.1.0' } : {}),
    };
    await client.create(nodes, { metadata: { name, labels } });
    const status = { conditions: [{ type: 'Ready', status: ready }] };
    await client.patch(nodes, { name }, { type: 'merge', body: { status } }, { subresource: 'status' });
    await settle();
  };
  const report = async (name: string, status: object) => {
    await client.patch(pods, key(name), { type: 'merge', body: { status } }, { subresource: 'status' });
    await settle();
  };
  const start = () => {
    const stop = new AbortController();
    const runtime = createRuntime({
      ...{ name: 'test.dev/provider', identity: 'test', client, clock, log: silentLog, metrics: createMetrics() },
    });
    addStuckPodsController(runtime, { clock, stuckAfter: minutes(10), onReport: one => void reports.push(one) });
    const running = runtime.run(stop.signal);
    return async () => {
      stop.abort();
      await settle();
      await running;
    };
  };
  await node('ours', 'ours');
  await node('older', 'older');
  let stop = start();
  t.after(() => stop());
  await settle();
  return {
    ...{ api, client, clock, settle, node, report },
    last: () => reports.at(-1),
    /** A deleted Pod with the finalizer and without a grace period. */
    deleted: async (name: string, nodeName: string, status: object, more: readonly string[] = []) => {
      const finalizers = [vmCleanup, ...more];
      const spec = { nodeName, containers: [{ name: 'vm', image: 'macos' }] };
      await client.create(pods, { metadata: { ...key(name), finalizers }, spec });
      await report(name, status);
      await client.delete(pods, key(name), { gracePeriodSeconds: 0 });
      await settle();
    },
    find: (name: string) => client.find(pods, key(name)),
    happened: async () => {
      const { items } = await client.list(events, { namespace: 'default' });
      return items.map(({ reason, regarding }) => `${regarding?.name} ${reason}`).sort();
    },
    restart: async () => {
      await stop();
      stop = start();
      await settle();
    },
  };
}

test('B2 a Pod that the agent reports as finished is released at once', async t => {
  const { deleted, report, find, happened } = await bench(t);
  await deleted('a', 'ours', running);
  assert.ok(await find('a'));
  await report('a', { conditions: [{ type: names.podConditions.finished, status: 'True' }] });
  assert.equal(await find('a'), undefined);
  assert.deepEqual(await happened(), ['a VMCleanupReleased']);
});

test('I10 Pods that the previous agent forgot are released after the timeout', async t => {
  const { deleted, clock, find, last } = await bench(t);
  for (let index = 0; index < 20; index++) await deleted(`done-${index}`, 'older', ended);
  assert.equal(last()?.terminating, 20);
  await clock.advance(minutes(9));
  assert.ok(await find('done-0'));
  await clock.advance(minutes(1.1));
  assert.equal(await find('done-0'), undefined);
  assert.deepEqual([last()?.released, last()?.terminating], [20, 0]);
});

test('I10 a Pod whose VM may run is never released, and its cause is reported once', async t => {
  const { deleted, clock, client, find, last, happened, settle } = await bench(t);
  await deleted('busy', 'ours', running);
  await clock.advance(minutes(11));
  assert.equal(last()?.stuck.VMMayRun, 1);
  const lost = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
  await client.patch(nodes, { name: 'ours' }, { type: 'merge', body: lost }, { subresource: 'status' });
  await settle();
  assert.deepEqual([last()?.stuck.VMMayRun, last()?.stuck.NodeNotReady], [0, 1]);
  await clock.advance(minutes(600));
  assert.ok((await find('busy'))?.metadata.finalizers?.includes(vmCleanup));
  assert.deepEqual(await happened(), ['busy StuckTerminating', 'busy StuckTerminating']);
});

test('Pods of a deleted Node are released after the time in which it could return', async t => {
  const { deleted, clock, client, find, settle } = await bench(t);
  await deleted('a', 'ours', running);
  await deleted('b', 'ours', running);
  await client.delete(nodes, { name: 'ours' });
  await settle();
  assert.ok(await find('a'));
  await clock.advance(seconds(59));
  assert.ok(await find('a'));
  await clock.advance(seconds(2));
  assert.deepEqual([await find('a'), await find('b')], [undefined, undefined]);
});

test('I37 a Node that is deleted by hand and registers again keeps its Pods', async t => {
  const { deleted, clock, client, find, node } = await bench(t);
  await deleted('a', 'ours', running);
  for (const _ of [1, 2, 3]) {
    await client.delete(nodes, { name: 'ours' });
    await clock.advance(seconds(40));
    await node('ours', 'ours');
    await clock.advance(minutes(5));
  }
  assert.ok((await find('a'))?.metadata.finalizers?.includes(vmCleanup));
});

test('a Node that is missing in the cache is read before its Pods are released', async t => {
  const { api, deleted, clock, find } = await bench(t);
  await deleted('a', 'nowhere', running);
  api.faults.failNext({
    match: { method: 'GET', path: /nodes\/nowhere$/ },
    status: 403,
    reason: 'Forbidden',
    times: 99,
  });
  await clock.advance(minutes(5));
  assert.ok(await find('a'), 'what cannot be read is not taken for gone');
});

test('other finalizers stay, and the Pod counts as stuck because of them', async t => {
  const { deleted, report, find, clock, last } = await bench(t);
  await deleted('a', 'ours', running, ['others.dev/keep']);
  await report('a', { conditions: [{ type: names.podConditions.finished, status: 'True' }] });
  assert.deepEqual((await find('a'))?.metadata.finalizers, ['others.dev/keep']);
  await clock.advance(minutes(11));
  assert.equal(last()?.stuck.OtherFinalizer, 1);
});

test('a concurrent change of a stuck Pod causes a conflict and another decision', async t => {
  const { api, clock, deleted, find, report } = await bench(t);
  await deleted('a', 'ours', running);
  const path = '/api/v1/namespaces/default/pods/a';
  api.faults.failNext({ match: { method: 'PATCH', path }, status: 409, reason: 'Conflict' });
  await report('a', { conditions: [{ type: names.podConditions.finished, status: 'True' }] });
  assert.ok(await find('a'));
  await clock.advance(seconds(1));
  assert.equal(await find('a'), undefined);
  const [sent] = api.requests.filter(request => request.method === 'PATCH' && request.path === path);
  assert.ok(sent);
  const { metadata } = sent.body as { metadata: object };
  assert.deepEqual(Object.keys(metadata).sort(), ['finalizers', 'resourceVersion', 'uid']);
});

test('Pods without deletion or without the finalizer are never written', async t => {
  const { api, client, clock, restart } = await bench(t);
  const spec = { nodeName: 'older', containers: [{ name: 'vm', image: 'macos' }] };
  await client.create(pods, { metadata: { ...key('alive'), finalizers: [vmCleanup] }, spec });
  await restart();
  await clock.advance(minutes(60));
  assert.deepEqual(
    api.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('/pods/')),
    [],
  );
});

test('a restarted provider finds stuck Pods and continues', async t => {
  const { deleted, clock, find, restart, last } = await bench(t);
  await deleted('done', 'older', ended);
  await deleted('busy', 'older', running);
  await clock.advance(minutes(5));
  await restart();
  await clock.advance(minutes(6));
  assert.equal(await find('done'), undefined);
  assert.equal(last()?.stuck.VMMayRun, 1);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { nodes, pods } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import type { Prompts } from '../context.ts';
import { commandLine } from '../testing/command-line.ts';

const { vmCleanup } = names.finalizers;
const ended = { phase: 'Succeeded', containerStatuses: [{ name: 'vm', state: { terminated: { exitCode: 0 } } }] };
const running = { phase: 'Running', containerStatuses: [{ name: 'vm', state: { running: {} } }] };

/** A cluster with one Mac under the older agent, and Pods that were deleted an hour ago. */
async function cluster(given: Readonly<Record<string, object>>, prompts?: Prompts) {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  const { client } = api;
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  const labels = { [names.labels.runtime]: names.labelValues.runtimeTart };
  await client.create(nodes, { metadata: { name: 'mac-1', labels } });
  await client.patch(nodes, { name: 'mac-1' }, { type: 'merge', body: { status } }, { subresource: 'status' });
  for (const [name, state] of Object.entries(given)) {
    const key = { namespace: 'default', name };
    const spec = {
      nodeName: name.startsWith('lost') ? 'mac-2' : 'mac-1',
      containers: [{ name: 'vm', image: 'macos' }],
    };
    await client.create(pods, { metadata: { ...key, finalizers: [vmCleanup] }, spec });
    await client.patch(pods, key, { type: 'merge', body: { status: state } }, { subresource: 'status' });
    await client.delete(pods, key, { gracePeriodSeconds: 0 });
  }
  await clock.advance(minutes(60));
  return {
    api,
    run: commandLine({ clock, openCluster: () => ({ ...client, close: async () => undefined }), prompts }),
    left: async () => (await client.list(pods)).items.map(({ metadata }) => metadata.name),
    writes: () => api.requests.filter(({ method, path }) => method === 'PATCH' && path.endsWith('/status') === false),
  };
}

const answering = (answer: boolean | undefined): Prompts => ({
  confirm: async () => answer,
  password: async () => undefined,
});

const stuck = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`done-${index}`, ended]));

test('I10 504 Pods that the older agent holds are released by one command', async () => {
  const { run, left } = await cluster(stuck(504));
  const { code, output } = await run('unstick', 'pods', '--yes');
  assert.match(output, /504 Pods can be released\.\n504 Pods released\.\n$/);
  assert.equal(code, 0);
  assert.deepEqual(await left(), []);
});

test('I10 a dry run shows each Pod with its cause and changes nothing', async () => {
  const { run, left, writes } = await cluster({ done: ended, busy: running, lost: running });
  const { code, output } = await run('unstick', 'pods', '--dry-run');
  assert.match(output, /^POD +NODE +OVERDUE +VERDICT +WHY/);
  assert.match(output, /default\/done +mac-1 +1h +release +its VM has ended, and the agent did not let the Pod go/);
  assert.match(output, /default\/busy +mac-1 +1h +stuck +the agent has not said that the VM has ended/);
  assert.match(output, /default\/lost +mac-2 +1h +release +the Node does not exist any more/);
  assert.match(output, /2 Pods can be released; 1 Pod cannot/);
  assert.match(output, /Nothing was changed\.\n$/);
  assert.equal(code, 3);
  assert.deepEqual([(await left()).length, writes()], [3, []]);
});

test('a Pod whose VM may run stays, and the exit code says that something is left', async () => {
  const { run, left } = await cluster({ done: ended, busy: running });
  const { code } = await run('unstick', 'pods', '--yes');
  assert.equal(code, 3);
  assert.deepEqual(await left(), ['busy']);
});

test('it asks before it changes anything: no is no', async () => {
  const { run, left, writes } = await cluster({ done: ended }, answering(false));
  const { code, output } = await run('unstick', 'pods');
  assert.match(output, /Nothing was changed\.\n$/);
  assert.equal(code, 3);
  assert.deepEqual([await left(), writes()], [['done'], []]);
});

test('it asks before it changes anything: yes is yes', async () => {
  const { run, left } = await cluster({ done: ended }, answering(true));
  assert.equal((await run('unstick', 'pods')).code, 0);
  assert.deepEqual(await left(), []);
});

test('Ctrl-C at the question stops it', async () => {
  const { run, left } = await cluster({ done: ended }, answering(undefined));
  assert.equal((await run('unstick', 'pods')).code, 130);
  assert.deepEqual(await left(), ['done']);
});

test('where nobody can be asked it wants --yes or --dry-run, and looks at nothing', async () => {
  const { api, run } = await cluster({ done: ended });
  const before = api.requests.length;
  const { code, errors } = await run('unstick', 'pods');
  assert.equal(code, 2);
  assert.match(errors, /add --yes to release the Pods, or --dry-run to see which/);
  assert.equal(api.requests.length, before);
});

test('a cluster without such Pods has nothing to do', async () => {
  const { run } = await cluster({});
  assert.deepEqual(await run('unstick', 'pods', '--yes'), { code: 0, output: 'No Pod is held.\n', errors: '' });
});

test('Pods of other namespaces are left when one is named', async () => {
  const { run, left } = await cluster({ done: ended });
  const { output } = await run('unstick', 'pods', '--yes', '-n', 'elsewhere');
  assert.equal(output, 'No Pod is held.\n');
  assert.deepEqual(await left(), ['done']);
});

test('a Pod that changes between the look and the write is left and named', async () => {
  const { api, run, left } = await cluster({ done: ended });
  const path = '/api/v1/namespaces/default/pods/done';
  api.faults.failNext({ match: { method: 'PATCH', path }, status: 409, reason: 'Conflict' });
  const { code, output } = await run('unstick', 'pods', '--yes');
  assert.match(
    output,
    /default\/done was left: it changed meanwhile\n0 Pods released\. 1 Pod left: run the command again\./,
  );
  assert.equal(code, 3);
  assert.deepEqual(await left(), ['done']);
});

test('a Node that is back by the time of the write keeps its Pods', async () => {
  const back: Prompts = {
    ...answering(true),
    confirm: async () => {
      await at.api.client.create(nodes, { metadata: { name: 'mac-2' } });
      return true;
    },
  };
  const at = await cluster({ lost: running }, back);
  const { output } = await at.run('unstick', 'pods');
  assert.match(output, /default\/lost was left: its Node mac-2 is there again/);
  assert.deepEqual(await at.left(), ['lost']);
});

test('one without the right to do it hears so, and nothing more is tried', async () => {
  const { api, run, left } = await cluster(stuck(2));
  api.faults.failNext({ match: { method: 'PATCH' }, status: 403, reason: 'Forbidden', message: 'pods is forbidden' });
  const { code, errors } = await run('unstick', 'pods', '--yes');
  assert.equal(code, 1);
  assert.match(errors, /pods is forbidden/);
  assert.equal((await left()).length, 2);
});

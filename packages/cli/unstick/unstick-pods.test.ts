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

/** Creates a cluster with one Mac that runs the older agent, and Pods that were deleted an hour ago. */
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

test('I10 unstick pods releases 504 Pods that the older agent holds', async () => {
  const { run, left } = await cluster(stuck(504));
  const { code, output } = await run('unstick', 'pods', '--yes');
  assert.match(output, /504 Pods can be released\.\n504 Pods released\.\n$/);
  assert.equal(code, 0);
  assert.deepEqual(await left(), []);
});

test('I10 unstick pods --dry-run lists each Pod with its cause and changes nothing', async () => {
  const { run, left, writes } = await cluster({ done: ended, busy: running, lost: running });
  const { code, output } = await run('unstick', 'pods', '--dry-run');
  assert.match(output, /^POD +NODE +OVERDUE +ACTION +REASON/);
  assert.match(output, /default\/done +mac-1 +1h +release +its VM has ended, but the agent did not release the Pod/);
  assert.match(output, /default\/busy +mac-1 +1h +stuck +the agent has not reported the end of the VM/);
  assert.match(output, /default\/lost +mac-2 +1h +release +the Node no longer exists/);
  assert.match(output, /2 Pods can be released; 1 Pod cannot/);
  assert.match(output, /Nothing was changed\.\n$/);
  assert.equal(code, 3);
  assert.deepEqual([(await left()).length, writes()], [3, []]);
});

test('unstick pods keeps a Pod whose VM may run and exits with 3', async () => {
  const { run, left } = await cluster({ done: ended, busy: running });
  const { code } = await run('unstick', 'pods', '--yes');
  assert.equal(code, 3);
  assert.deepEqual(await left(), ['busy']);
});

test('unstick pods changes nothing if the confirmation is denied', async () => {
  const { run, left, writes } = await cluster({ done: ended }, answering(false));
  const { code, output } = await run('unstick', 'pods');
  assert.match(output, /Nothing was changed\.\n$/);
  assert.equal(code, 3);
  assert.deepEqual([await left(), writes()], [['done'], []]);
});

test('unstick pods releases the Pods after confirmation', async () => {
  const { run, left } = await cluster({ done: ended }, answering(true));
  assert.equal((await run('unstick', 'pods')).code, 0);
  assert.deepEqual(await left(), []);
});

test('unstick pods stops on Ctrl-C at the confirmation', async () => {
  const { run, left } = await cluster({ done: ended }, answering(undefined));
  assert.equal((await run('unstick', 'pods')).code, 130);
  assert.deepEqual(await left(), ['done']);
});

test('unstick pods without a terminal requires --yes or --dry-run and sends no request', async () => {
  const { api, run } = await cluster({ done: ended });
  const before = api.requests.length;
  const { code, errors } = await run('unstick', 'pods');
  assert.equal(code, 2);
  assert.match(errors, /use --yes to release the Pods, or --dry-run to list them/);
  assert.equal(api.requests.length, before);
});

test('unstick pods reports a cluster without stuck Pods', async () => {
  const { run } = await cluster({});
  assert.deepEqual(await run('unstick', 'pods', '--yes'), { code: 0, output: 'No stuck Pods found.\n', errors: '' });
});

test('unstick pods -n leaves Pods of other namespaces', async () => {
  const { run, left } = await cluster({ done: ended });
  const { output } = await run('unstick', 'pods', '--yes', '-n', 'elsewhere');
  assert.equal(output, 'No stuck Pods found.\n');
  assert.deepEqual(await left(), ['done']);
});

test('unstick pods skips a Pod that changes before the patch and names it', async () => {
  const { api, run, left } = await cluster({ done: ended });
  const path = '/api/v1/namespaces/default/pods/done';
  api.faults.failNext({ match: { method: 'PATCH', path }, status: 409, reason: 'Conflict' });
  const { code, output } = await run('unstick', 'pods', '--yes');
  assert.match(
    output,
    /default\/done skipped: the Pod has changed\n0 Pods released\. 1 Pod skipped; run the command again\./,
  );
  assert.equal(code, 3);
  assert.deepEqual(await left(), ['done']);
});

test('unstick pods skips a Pod whose Node exists again before the patch', async () => {
  const back: Prompts = {
    ...answering(true),
    confirm: async () => {
      await at.api.client.create(nodes, { metadata: { name: 'mac-2' } });
      return true;
    },
  };
  const at = await cluster({ lost: running }, back);
  const { output } = await at.run('unstick', 'pods');
  assert.match(output, /default\/lost skipped: its Node mac-2 exists again/);
  assert.deepEqual(await at.left(), ['lost']);
});

test('unstick pods stops at the first missing permission', async () => {
  const { api, run, left } = await cluster(stuck(2));
  api.faults.failNext({ match: { method: 'PATCH' }, status: 403, reason: 'Forbidden', message: 'pods is forbidden' });
  const { code, errors } = await run('unstick', 'pods', '--yes');
  assert.equal(code, 1);
  assert.match(errors, /pods is forbidden/);
  assert.equal((await left()).length, 2);
});

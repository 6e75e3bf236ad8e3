import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { pods } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import type { MachineParts } from '../machines/parts.ts';
import { fakeRunners } from '../machines/testing/fake-parts.ts';
import { guestsOnHost } from './guests-on-host.ts';
import { machineNamed } from './testing/machine.ts';
import { scopeOf } from './testing/scope.ts';

const runner = { ghOrg: 'acme', ghRunnerLabels: 'self-hosted' };

async function counted(
  spec: Parameters<typeof machineNamed>[1],
  runners?: MachineParts['runners'],
  onNode: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { client } = createMemoryApi({ clock: fakeClock() });
  for (const [name, phase] of Object.entries(onNode)) {
    const nodeName = name.startsWith('other') ? 'mini-02' : 'mini-01';
    const spec = { nodeName, containers: [{ name: 'vm', image: 'macos' }] };
    await client.create(pods, { metadata: { namespace: 'default', name }, spec });
    const body = { status: { phase } };
    await client.patch(pods, { namespace: 'default', name }, { type: 'merge', body }, { subresource: 'status' });
  }
  const parts = { client, ...(runners ? { runners } : {}) } as unknown as MachineParts;
  return guestsOnHost(scopeOf(machineNamed('mini-01', spec)), parts);
}

test('guests are the Pods of the host’s own Node that have not ended', async () => {
  const onNode = { one: 'Running', two: 'Pending', three: 'Succeeded', four: 'Failed', 'other-five': 'Running' };
  assert.equal(await counted({}, undefined, onNode), 2);
});

test('on a builder the job its runner is at counts, for its VMs belong to no Pod', async () => {
  const runners = fakeRunners([]);
  assert.equal(await counted({ ghActionsRunner: runner }, runners), 0);
  runners.now = 'busy';
  assert.equal(await counted({ ghActionsRunner: runner }, runners), 1);
});

test('a builder whose runner cannot be asked about is taken to be busy', async () => {
  const silent = { ...fakeRunners([]), state: () => Promise.reject(new Error('GitHub is away')) };
  assert.equal(await counted({ ghActionsRunner: runner }, silent), 1);
  assert.equal(await counted({ ghActionsRunner: runner }), 1);
});

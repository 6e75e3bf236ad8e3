import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { pods } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import type { MachineParts } from '../machines/parts.ts';
import { guestsOnHost } from './guests-on-host.ts';
import { machineNamed } from './testing/machine.ts';
import { scopeOf } from './testing/scope.ts';

test('guests are the Pods of the host’s own Node that have not ended', async () => {
  const { client } = createMemoryApi({ clock: fakeClock() });
  const onNode = { one: 'Running', two: 'Pending', three: 'Succeeded', four: 'Failed', 'other-five': 'Running' };
  for (const [name, phase] of Object.entries(onNode)) {
    const nodeName = name.startsWith('other') ? 'mini-02' : 'mini-01';
    const spec = { nodeName, containers: [{ name: 'vm', image: 'macos' }] };
    await client.create(pods, { metadata: { namespace: 'default', name }, spec });
    const body = { status: { phase } };
    await client.patch(pods, { namespace: 'default', name }, { type: 'merge', body }, { subresource: 'status' });
  }
  assert.equal(await guestsOnHost(scopeOf(machineNamed('mini-01')), { client } as MachineParts), 2);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MacHost, macHost } from '@minifleet/api';
import type { Client } from '@minifleet/kube';
import { fenceHost } from './fence.ts';
import { freeHostObject, heldHost } from './testing/held-host.ts';

const fence = (now: MacHost | undefined): Promise<void> =>
  fenceHost({ find: async () => now } as unknown as Client, heldHost(), 'here');
const { consumerRef } = heldHost().spec;
const held = (spec: Partial<MacHost['spec']>): MacHost => heldHost(spec);
const recreated = { ...heldHost(), metadata: { ...heldHost().metadata, uid: 'another' } };

const rows: readonly (readonly [string, MacHost | undefined, RegExp])[] = [
  ['was deleted', undefined, /the MacHost was deleted/],
  ['was deleted and created again', recreated, /the MacHost was deleted/],
  ['was released', freeHostObject(), /it was released/],
  ['belongs to another cluster', held({ clusterID: 'there' }), /it belongs to the cluster there/],
  [
    'is held by another machine',
    held({ consumerRef: { ...consumerRef, name: 'b', uid: '2' } as never, claimEpoch: 2 }),
    /fleet\/b holds it/,
  ],
  ['is held in a later epoch', held({ claimEpoch: 2 }), /it is in epoch 2/],
];

for (const [name, now, why] of rows)
  test(`I13 the fence stops an effect on a host that ${name}`, async () => {
    await assert.rejects(fence(now), { code: 'HOST_CLAIM_LOST', reason: 'ClaimLost', message: why });
  });

test('the fence passes a host that is still held in the same epoch, and reads it from the API server', async () => {
  await fence(heldHost({ release: 'Return' }));
  const read: unknown[] = [];
  const client = {
    find: async (...args: readonly unknown[]) => {
      read.push(args);
      return heldHost();
    },
  } as unknown as Client;
  await fenceHost(client, heldHost(), 'here');
  assert.deepEqual(read, [[macHost.resource, { name: heldHost().metadata.name }]]);
});

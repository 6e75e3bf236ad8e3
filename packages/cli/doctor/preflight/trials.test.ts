import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { type Client, certificateSigningRequests } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import { SIGNERS, trySigner } from './trials.ts';

test('a request that the controller manager approves and signs first counts as signed, and is deleted', async () => {
  const clock = fakeClock();
  const { client } = createMemoryApi({ clock });
  const approving: Client = {
    ...client,
    async update(resource, object, options) {
      // Between the read and the write of the preflight.
      const conditions = [{ type: 'Approved', status: 'True', reason: 'AutoApproved', message: '' }];
      const body = { status: { conditions, certificate: Buffer.from('signed').toString('base64') } };
      const { name } = object.metadata;
      await client.patch(resource, { name }, { type: 'merge', body }, { subresource: 'status' });
      return client.update(resource, object, options);
    },
  };
  const deps = {
    client: approving,
    clock,
    signal: new AbortController().signal,
    random: (n: number) => new Uint8Array(n),
  };
  assert.deepEqual(await trySigner(SIGNERS.client, deps), { kind: 'works' });
  assert.deepEqual((await client.list(certificateSigningRequests)).items, []);
});

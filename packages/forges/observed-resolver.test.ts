import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '@minifleet/secret';
import { type ForgeRequest, observedResolver } from './observed-resolver.ts';
import { memoryForge } from './testing/memory-forge.ts';
import { memoryResolver } from './testing/memory-resolver.ts';

test('an observed forge is the same each time, counts its calls by outcome and returns their results', async () => {
  const forge = memoryForge();
  const requests: ForgeRequest[] = [];
  const redactor = createRedactor();
  const resolver = observedResolver(memoryResolver(forge), { onCall: request => requests.push(request), redactor });
  const key = '-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5IG9mIGFueWJvZHk\n-----END PRIVATE KEY-----';
  const reference = { account: 'acme', place: 'Secret ci/app', fields: { 'private-key': Buffer.from(key) } };
  const observed = await resolver.resolve(reference);
  assert.equal(await resolver.resolve(reference), observed);
  assert.deepEqual(await observed.runners(), []);
  forge.failNext({ call: 'runners', when: 'before' });
  await assert.rejects(observed.runners());
  assert.deepEqual(requests, [
    { forge: 'memory', call: 'runners', outcome: 'ok' },
    { forge: 'memory', call: 'runners', outcome: 'ForgeUnavailable' },
  ]);
  assert.doesNotMatch(redactor.redact(JSON.stringify({ error: key })), /bm90IGEga2V5/);
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { createChance } from '../chance.ts';
import { createFaultPlan } from '../faults/fault-plan.ts';
import { createJournal } from '../journal.ts';
import { type RegistryOptions, startRegistry } from './start-registry.ts';

async function makeRegistry(
  context: { after(clean: () => Promise<void>): void },
  options: Omit<RegistryOptions, 'deps'> = {},
) {
  const clock = fakeClock();
  const chance = createChance('registry');
  const deps = { clock, chance, faults: createFaultPlan(chance), journal: createJournal(clock) };
  const registry = await startRegistry({ ...options, deps });
  context.after(() => registry.stop());
  return { registry, ...deps };
}

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

test('registry: a blob uploaded in parts and its manifest are readable by tag and by digest', async context => {
  const { registry } = await makeRegistry(context);
  const begun = await fetch(`${registry.url}/v2/acme/a/blobs/uploads/`, { method: 'POST' });
  assert.equal(begun.status, 202);
  const upload = `${registry.url}${begun.headers.get('location')}`;
  assert.equal((await fetch(upload, { method: 'PATCH', body: 'hel' })).headers.get('range'), '0-2');
  const done = await fetch(`${upload}?digest=${digestOf('hello')}`, { method: 'PUT', body: 'lo' });
  assert.equal(done.status, 201);
  const config = { mediaType: 'text/plain', size: 5, digest: digestOf('hello') };
  const manifest = JSON.stringify({ schemaVersion: 2, config, layers: [] });
  const url = `${registry.url}/v2/acme/a/manifests`;
  assert.equal((await fetch(`${url}/1`, { method: 'PUT', body: manifest })).status, 201);
  assert.equal(await (await fetch(`${url}/${digestOf(manifest)}`)).text(), manifest);
  const head = await fetch(`${url}/1`, { method: 'HEAD' });
  assert.equal(head.headers.get('docker-content-digest'), digestOf(manifest));
  assert.deepEqual(await (await fetch(`${registry.url}/v2/acme/a/tags/list`)).json(), { name: 'acme/a', tags: ['1'] });
});

test('registry: content that does not match its digest is rejected', async context => {
  const { registry } = await makeRegistry(context);
  const url = `${registry.url}/v2/acme/a/blobs/uploads/?digest=${digestOf('other')}`;
  const answer = await fetch(url, { method: 'POST', body: 'hello' });
  assert.equal(answer.status, 400);
  assert.equal(registry.content.blobs.size, 0);
});

test('registry: a manifest with missing layers is rejected', async context => {
  const { registry } = await makeRegistry(context);
  const config = { mediaType: 'text/plain', size: 5, digest: digestOf('hello') };
  const body = JSON.stringify({ schemaVersion: 2, config, layers: [] });
  const answer = await fetch(`${registry.url}/v2/acme/a/manifests/1`, { method: 'PUT', body });
  assert.equal(answer.status, 404);
});

test('registry: the same seed and name give the same image', async context => {
  const one = await makeRegistry(context);
  const other = await makeRegistry(context);
  assert.deepEqual(one.registry.seedImage('acme/a:1'), other.registry.seedImage('acme/a:1'));
});

test('registry: basic authentication is requested and accepted', async context => {
  const { registry } = await makeRegistry(context, {
    authorization: { scheme: 'basic', username: 'u', password: 'p' },
  });
  const refused = await fetch(`${registry.url}/v2/`);
  assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Basic realm="registry"']);
  const authorization = `Basic ${Buffer.from('u:p').toString('base64')}`;
  assert.equal((await fetch(`${registry.url}/v2/`, { headers: { authorization } })).status, 200);
});

test('registry: downloading a layer takes as long as the bytes that it simulates', async context => {
  const { registry, clock } = await makeRegistry(context, { bytesPerSecond: 1e9 });
  registry.seedImage('acme/a:1', { chunks: 1, compressedBytes: 20e9 });
  const [layer] = registry.content.simulatedSizes.keys();
  let arrived = false;
  const answer = fetch(`${registry.url}/v2/acme/a/blobs/${layer}`).then(async response => {
    await response.arrayBuffer();
    arrived = true;
  });
  await eventually(() => clock.pending === 1);
  await clock.advance(seconds(19));
  assert.equal(arrived, false);
  await clock.advance(seconds(1));
  await answer;
});

test('registry: faults can cut a blob in the middle and return 429 with Retry-After', async context => {
  const { registry, faults } = await makeRegistry(context);
  registry.seedImage('acme/a:1');
  const [blob] = registry.content.blobs.keys();
  faults.add({ place: 'registry', detail: /blobs/, fault: { type: 'drop', when: 'during' }, times: 1 });
  await assert.rejects(async () => (await fetch(`${registry.url}/v2/acme/a/blobs/${blob}`)).arrayBuffer());
  const fault = { type: 'fail', code: 429, message: 'slow down', retryAfter: seconds(7) } as const;
  faults.add({ place: 'registry', detail: /manifests/, fault });
  const refused = await fetch(`${registry.url}/v2/acme/a/manifests/1`);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '7']);
});

test('registry: an unmodelled endpoint is a gap in the journal', async context => {
  const { registry, journal } = await makeRegistry(context);
  assert.equal((await fetch(`${registry.url}/v2/_catalog`)).status, 404);
  assert.deepEqual(
    journal.gaps.map(gap => gap.detail),
    ['GET /v2/_catalog'],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { createRedactor } from '@minifleet/secret';
import type { ForgeRequest } from '../observed-resolver.ts';
import { githubResolver } from './github-resolver.ts';
import { appPem, secretFields } from './testing/github-bench.ts';

const observer = { onCall: () => undefined, redactor: createRedactor() };
const place = 'Secret builders/github-app';
const reference = (said: Readonly<Record<string, string>> = {}, account = 'acme') => ({
  account,
  place,
  fields: secretFields(said),
});

test('equal credentials give the same client, in any notation and from any Secret', async () => {
  const resolver = githubResolver({ clock: fakeClock(), observer });
  const forge = await resolver.resolve(reference());
  assert.equal(await resolver.resolve(reference()), forge);
  assert.equal(await resolver.resolve({ ...reference(), place: 'Secret elsewhere/app' }), forge);
  assert.equal(await resolver.resolve(reference({ 'app-id': '42\n', 'private-key': appPem('pkcs8') })), forge);
});

test('a changed Secret and another organisation give another client', async () => {
  const resolver = githubResolver({ clock: fakeClock(), observer });
  const forges = [
    await resolver.resolve(reference()),
    await resolver.resolve(reference({ 'installation-id': '4243' })),
    await resolver.resolve(reference({ 'app-id': '43' })),
    await resolver.resolve(reference({}, 'other')),
  ];
  assert.equal(new Set(forges).size, 4);
});

test('unused GitHub clients are dropped', async () => {
  const resolver = githubResolver({ clock: fakeClock(), observer });
  const [busy, idle] = [await resolver.resolve(reference()), await resolver.resolve(reference({}, 'idle'))];
  for (let number = 0; number < 99; number++) {
    await resolver.resolve(reference({}, `org-${number}`));
    await resolver.resolve(reference());
  }
  assert.equal(await resolver.resolve(reference()), busy);
  assert.notEqual(await resolver.resolve(reference({}, 'idle')), idle);
});

test('an incomplete Secret is rejected with its name', async () => {
  const resolver = githubResolver({ clock: fakeClock(), observer });
  await assert.rejects(resolver.resolve({ account: 'acme', place, fields: {} }), {
    code: 'FORGE_CREDENTIALS_INCOMPLETE',
    message: /^Secret builders\/github-app has no app-id, installation-id, private-key/,
  });
});

test('the registration URL is known without credentials and equals that of the client', async () => {
  const enterprise = githubResolver({ clock: fakeClock(), observer, apiUrl: 'https://github.acme.dev/api/v3' });
  assert.equal(enterprise.url('acme'), 'https://github.acme.dev/acme');
  assert.equal(enterprise.url('acme'), (await enterprise.resolve(reference({}, 'acme'))).url);
  assert.equal(githubResolver({ clock: fakeClock(), observer }).url('acme'), 'https://github.com/acme');
});

for (const form of ['pkcs1', 'pkcs8'] as const) {
  test(`the log redactor learns the private key of an App in every form, given as ${form}`, async () => {
    const redactor = createRedactor();
    const resolver = githubResolver({ clock: fakeClock(), observer: { ...observer, redactor } });
    await resolver.resolve(reference({ 'private-key': appPem(form) }));
    for (const pem of [appPem(form), appPem('pkcs8')]) {
      const [, line = ''] = pem.split('\n');
      assert.doesNotMatch(redactor.redact(JSON.stringify({ error: pem })), new RegExp(line.slice(0, 40)));
      const encoded = Buffer.from(pem).toString('base64');
      assert.ok(!redactor.redact(encoded).includes(encoded.slice(60, 100)));
    }
  });
}

test('the log redactor learns a private key that cannot be used', async () => {
  const redactor = createRedactor();
  const resolver = githubResolver({ clock: fakeClock(), observer: { ...observer, redactor } });
  await assert.rejects(resolver.resolve(reference({ 'private-key': 'not-an-rsa-key-but-secret' })));
  assert.doesNotMatch(redactor.redact('read not-an-rsa-key-but-secret'), /but-secret/);
});

test('every call of a client is counted with its outcome', async () => {
  const calls: ForgeRequest[] = [];
  const resolver = githubResolver({ clock: fakeClock(), observer: { ...observer, onCall: call => calls.push(call) } });
  const forge = await resolver.resolve(reference());
  await assert.rejects(forge.runners({ signal: AbortSignal.abort() }));
  assert.deepEqual(calls, [{ forge: 'github', call: 'runners', outcome: 'Aborted' }]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createRedactor } from '@minifleet/secret';
import { createMemoryApi } from '../testing/memory-api.ts';
import { secrets } from './built-in.ts';
import { createClient } from './client.ts';
import { createCredentials } from './credentials.ts';
import { learnSecrets } from './learn-secrets.ts';
import type { Transport } from './transport.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

async function learning(data: Readonly<Record<string, string>>) {
  const api = createMemoryApi({ clock: fakeClock() });
  const redactor = createRedactor();
  await api.client.create(secrets, { metadata: { namespace: 'default', name: 'app' }, data });
  return { redactor, client: createClient(learnSecrets(api.transport, redactor)) };
}

test('the data of a Secret that a client reads is removed from texts', async () => {
  const { client, redactor } = await learning({ password: encoded('correct-horse'), debug: encoded('true') });
  assert.equal(redactor.redact('correct-horse'), 'correct-horse');
  await client.get(secrets, { namespace: 'default', name: 'app' });
  assert.equal(redactor.redact('correct-horse is true'), '[Secret default/app] is true');
});

test('the data of listed and watched Secrets is removed from texts', async () => {
  const listed = await learning({ password: encoded('correct-horse') });
  const { metadata } = await listed.client.list(secrets);
  assert.equal(listed.redactor.redact('correct-horse'), '[Secret default/app]');

  const watched = await learning({ password: encoded('correct-horse') });
  const { resourceVersion } = metadata;
  const watch = await watched.client.watch(secrets, { resourceVersion, timeout: minutes(1) });
  await watched.client.patch(
    secrets,
    { namespace: 'default', name: 'app' },
    { type: 'merge', body: { data: { password: encoded('battery-staple') } } },
  );
  for await (const event of watch.events) if (event.type === 'MODIFIED') break;
  watch.close();
  assert.equal(watched.redactor.redact('battery-staple'), '[Secret default/app]');
});

test('a registry password inside an image pull Secret is removed from texts', async () => {
  const auths = { 'ghcr.io': { username: 'ci', password: 'registry-pass', auth: encoded('ci:registry-pass') } };
  const { client, redactor } = await learning({ '.dockerconfigjson': encoded(JSON.stringify({ auths })) });
  await client.find(secrets, { namespace: 'default', name: 'app' });
  const text = redactor.redact(`registry-pass ${encoded('ci:registry-pass')}`);
  assert.equal(text, '[Secret default/app] [Secret default/app]');
});

test('an issued service account token is removed from texts', async () => {
  const body = JSON.stringify({ kind: 'TokenRequest', metadata: {}, status: { token: 'issued-token-1' } });
  const transport: Transport = {
    send: async () => ({ status: 201, headers: {}, body }),
    open: () => Promise.reject(new Error('not used')),
    close: async () => undefined,
  };
  const redactor = createRedactor();
  const path = '/api/v1/namespaces/default/serviceaccounts/builder/token';
  await createClient(learnSecrets(transport, redactor)).send({ method: 'POST', path });
  assert.equal(redactor.redact('issued-token-1'), '[service account token]');
});

test('the token and the private key of a client are removed from texts before the first request', () => {
  const redactor = createRedactor();
  const server = new URL('https://api.example');
  createCredentials({ server, token: { data: 'abcdef.0123' }, key: { data: 'private-key-1' } }, fakeClock(), redactor);
  assert.equal(redactor.redact('abcdef.0123 private-key-1'), '[token] [client key]');
});

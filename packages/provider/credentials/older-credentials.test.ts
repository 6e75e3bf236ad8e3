import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secrets } from '@minifleet/kube';
import { type CredentialsBench, credentialsBench, HOST } from './testing/credentials-bench.ts';

const NAME = `${HOST}-credentials`;
const PINNED = `SHA256:${'p'.repeat(43)}`;
const OLDER = { 'sudo-password': 'older', 'ssh-username': 'm1', 'host-fingerprint': PINNED };

/** Secret of a machine, as the previous system writes it. */
const writeOlder = (bench: CredentialsBench, machine: string) =>
  bench.api.client.create(secrets, {
    metadata: { namespace: 'fleet', name: `${machine}-bootstrap` },
    data: Object.fromEntries(Object.entries(OLDER).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  });
const findOlder = (bench: CredentialsBench, machine: string) =>
  bench.api.client.find(secrets, { namespace: 'fleet', name: `${machine}-bootstrap` });

test('a host of the previous system keeps its user, password and pinned host key', async () => {
  const bench = await credentialsBench();
  await writeOlder(bench, 'a');
  const { password: _password, ...server } = bench.server;
  const access = await bench.provider().access(await bench.host('a'), server);
  assert.deepEqual([access.user, access.password?.reveal().toString(), access.hostKey], ['m1', 'older', PINNED]);
  assert.deepEqual(await bench.texts(NAME), OLDER);
  assert.ok(await findOlder(bench, 'a'), 'the Secret stays for a return to the previous system');
});

test('a value in the Secret of the host wins over that of the previous system', async () => {
  const bench = await credentialsBench();
  await writeOlder(bench, 'a');
  const host = await bench.host('a');
  await bench.provider().access(host, bench.server);
  await bench.write(NAME, { 'sudo-password': 'newer' });
  assert.equal((await bench.provider().access(host, bench.server)).password?.reveal().toString(), 'newer');
});

test('a reinstalled host gets neither password nor host key of the previous system again', async () => {
  const bench = await credentialsBench();
  await writeOlder(bench, 'a');
  const host = await bench.host('a');
  const credentials = bench.provider();
  await credentials.access(host, bench.server);
  await credentials.forget(host);
  const access = await credentials.access(host, bench.server);
  assert.deepEqual([access.password?.reveal().toString(), access.hostKey], ['pass-1-1', undefined]);
  assert.equal(await findOlder(bench, 'a'), undefined);
});

test('the Secret of the previous system does not apply to a host that its machine adopted from a pool', async () => {
  const bench = await credentialsBench();
  await writeOlder(bench, 'a');
  const access = await bench.provider().access(await bench.host('a', { originalName: 'tuist-pool-1' }), bench.server);
  assert.deepEqual([access.password?.reveal().toString(), access.hostKey], ['pass-1-1', undefined]);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { secrets } from '@minifleet/kube';
import { VENDOR_REFUSED } from '@minifleet/vendors';
import { memoryId, memoryVendor } from '@minifleet/vendors/testing';
import { credentialsBench } from './testing/credentials-bench.ts';

const registrations = (calls: readonly { readonly call: string }[]): number =>
  calls.filter(({ call }) => call === 'registerKey').length;

const OWNED = { address: '192.0.2.11', port: 22, user: 'admin' };

describe('the fleet key', () => {
  test('the fleet key is created once and registered under a name with the cluster id', async () => {
    const bench = await credentialsBench();
    const key = await bench.provider().fleetKey(await bench.host('a', { fleet: 'runners' }));
    const secret = await bench.secret('runners-ssh');
    const texts = await bench.texts('runners-ssh');
    assert.equal(key.privateKey.reveal().toString(), texts['id_ed25519']);
    assert.match(texts['id_ed25519'] ?? '', /^-----BEGIN OPENSSH PRIVATE KEY-----\n/);
    assert.match(texts['id_ed25519.pub'] ?? '', /^ssh-ed25519 AAAA\S+ tuist-capi-runners-c1a2b3c4\n$/);
    assert.deepEqual(
      bench.vendor.keys.map(({ name, publicKey }) => ({ name, publicKey })),
      [{ name: 'tuist-capi-runners-c1a2b3c4', publicKey: key.publicKey }],
    );
    assert.equal(secret.metadata.annotations?.[names.annotations.sshKeyID], bench.vendor.keys[0]?.id);
    assert.deepEqual(secret.metadata.labels, {
      'app.kubernetes.io/managed-by': 'minifleet',
      'clusterctl.cluster.x-k8s.io/move': '',
      'tuist.dev/fleet': 'runners',
    });
  });

  test('a machine without a fleet gets its own key', async () => {
    const bench = await credentialsBench();
    const key = await bench.provider().fleetKey(await bench.host('a'));
    assert.equal(key.name, 'tuist-capi-fleet-a-c1a2b3c4');
    assert.ok(await bench.secret('fleet-a-ssh'));
  });

  test('the fleet key of owned Macs is not registered at a vendor, because the operator installs it', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { fleet: 'desk', name: 'mini-01', owned: OWNED });
    const key = await bench.provider().fleetKey(host, { rejected: true });
    assert.deepEqual(bench.vendor.calls, []);
    assert.equal((await bench.texts('desk-ssh'))['id_ed25519.pub']?.trim(), key.publicKey);
    const { publicKey } = await bench.provider({ vendor: undefined }).fleetKey(host);
    assert.equal(publicKey, key.publicKey);
  });

  test('two providers and many machines that start a fleet together create one key', async () => {
    const bench = await credentialsBench();
    const hosts = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        bench.host(`m-${index}`, { fleet: 'runners', name: memoryId(index + 1) }),
      ),
    );
    const [one, other] = [bench.provider(), bench.provider()];
    const keys = await Promise.all(hosts.flatMap(host => [one.fleetKey(host), other.fleetKey(host)]));
    assert.equal(new Set(keys.map(({ publicKey }) => publicKey)).size, 1);
    assert.equal((await bench.api.client.list(secrets)).items.length, 1);
    assert.deepEqual(
      new Set(bench.vendor.keys.map(({ publicKey }) => publicKey)),
      new Set(keys.map(({ publicKey }) => publicKey)),
    );
    assert.equal(registrations(bench.vendor.calls), 2);
  });

  test('fleets with the same name in two clusters keep separate keys at the vendor', async () => {
    const bench = await credentialsBench();
    const [here, there] = [await credentialsBench(), await credentialsBench()];
    const { vendor } = bench;
    const clusterId = 'd9e8f7a6-0000-4000-8000-000000000000';
    const other = there.provider({ vendor, clusterId, random: bytes => Buffer.alloc(bytes, 200) });
    const keys = [
      await here.provider({ vendor }).fleetKey(await here.host('a', { fleet: 'runners' })),
      await other.fleetKey(await there.host('a', { fleet: 'runners' })),
    ];
    assert.deepEqual(
      bench.vendor.keys.map(({ publicKey }) => publicKey),
      keys.map(({ publicKey }) => publicKey),
    );
  });

  test('the fleet key is stored before it is registered, so a crash in between keeps the key', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { fleet: 'runners' });
    bench.vendor.failNext({ call: 'registerKey', when: 'before' });
    await assert.rejects(bench.provider().fleetKey(host), {
      code: 'CREDENTIALS_KEY_NOT_REGISTERED',
      reason: 'SSHKeyUnavailable',
      message: /fleet\/runners-ssh: SSH key is not registered with the vendor.*made to fail by a test/,
    });
    const stored = (await bench.texts('runners-ssh'))['id_ed25519.pub']?.trim();
    const key = await bench.provider().fleetKey(host);
    assert.deepEqual([key.publicKey, bench.vendor.keys[0]?.publicKey], [stored, stored]);
  });

  test('I23 a vendor refusal is reported with its message and retried', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { fleet: 'runners' });
    const credentials = bench.provider();
    const error = VENDOR_REFUSED({
      vendor: 'scaleway',
      call: 'registerKey',
      why: 'insufficient permissions: list ssh_key',
    });
    bench.vendor.failNext({ call: 'registerKey', when: 'before', error });
    await assert.rejects(credentials.fleetKey(host), {
      retry: 'backoff',
      message: /insufficient permissions: list ssh_key/,
    });
    await credentials.fleetKey(host);
    assert.equal(bench.vendor.keys.length, 1);
  });

  test('a lost vendor response does not register a second fleet key', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { fleet: 'runners' });
    const credentials = bench.provider();
    bench.vendor.failNext({ call: 'registerKey', when: 'after' });
    await assert.rejects(credentials.fleetKey(host));
    await credentials.fleetKey(host);
    assert.equal(bench.vendor.keys.length, 1);
  });

  test('the fleet key is checked once per process; a new process registers a lost key again', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { fleet: 'runners' });
    const credentials = bench.provider();
    await credentials.fleetKey(host);
    await credentials.fleetKey(host);
    assert.equal(registrations(bench.vendor.calls), 1);
    const emptied = memoryVendor({ name: 'memory' });
    const next = bench.provider({ vendor: emptied });
    const { publicKey } = await next.fleetKey(host);
    assert.deepEqual(
      emptied.keys.map(key => key.publicKey),
      [publicKey],
    );
    const { metadata } = await bench.secret('runners-ssh');
    assert.equal(metadata.annotations?.[names.annotations.sshKeyID], emptied.keys[0]?.id);
  });

  test('the fleet key is checked again when a host rejects it, but not for every host', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { fleet: 'runners' });
    const credentials = bench.provider();
    await credentials.fleetKey(host, { rejected: true });
    await credentials.fleetKey(host, { rejected: true });
    assert.equal(registrations(bench.vendor.calls), 1);
    await bench.clock.advance(minutes(10));
    await credentials.fleetKey(host, { rejected: true });
    assert.equal(registrations(bench.vendor.calls), 2);
  });

  test('a registered fleet key is used during a vendor outage and checked until the vendor responds', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { fleet: 'runners' });
    const { publicKey } = await bench.provider().fleetKey(host);
    const next = bench.provider();
    bench.vendor.failNext({ call: 'registerKey', when: 'before' });
    assert.equal((await next.fleetKey(host)).publicKey, publicKey);
    await next.fleetKey(host);
    await next.fleetKey(host);
    assert.equal(registrations(bench.vendor.calls), 3);
  });

  test('an incomplete fleet key Secret of an operator is not overwritten', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { fleet: 'runners' });
    await bench.api.client.create(secrets, {
      metadata: { namespace: 'fleet', name: 'runners-ssh' },
      stringData: { 'id_ed25519.pub': 'ssh-ed25519 AAAA' },
    });
    await assert.rejects(bench.provider().fleetKey(host), {
      reason: 'SSHKeyUnavailable',
      message: /fleet\/runners-ssh has no id_ed25519; add the fleet key/,
    });
    assert.deepEqual(bench.vendor.keys, []);
  });

  test('an API server that rejects the fleet key Secret is reported as such', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { fleet: 'runners' });
    bench.api.faults.failNext({ match: { method: 'POST', path: /secrets/ }, status: 403 });
    await assert.rejects(bench.provider().fleetKey(host), {
      reason: 'SecretUnavailable',
      message: /fleet\/runners-ssh/,
    });
  });
});

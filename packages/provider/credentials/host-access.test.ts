import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { macHost, names } from '@minifleet/api';
import { secrets } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import type { Server } from '@minifleet/vendors';
import { memoryId } from '@minifleet/vendors/testing';
import { credentialsBench, HOST } from './testing/credentials-bench.ts';

const NAME = `${HOST}-credentials`;
const PINNED = `SHA256:${'p'.repeat(43)}`;
const OWNED = { address: '192.0.2.11', port: 22, user: 'admin' };

/** The server that stands for an owned Mac: its user, and no password. */
function ownedServer(rented: Server): Server {
  const { password: _password, ...server } = rented;
  return { ...server, user: OWNED.user };
}

describe('host credentials', () => {
  test('host credentials come from the vendor and are stored in a Secret that the MacHost owns', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    const access = await bench.provider().access(host, bench.server);
    assert.deepEqual([access.user, access.password?.reveal().toString()], ['m1', 'pass-1-1']);
    assert.deepEqual(await bench.texts(NAME), { 'ssh-username': 'm1', 'sudo-password': 'pass-1-1' });
    const { metadata } = await bench.secret(NAME);
    assert.equal(metadata.labels?.[names.labels.host], HOST);
    assert.deepEqual(
      metadata.ownerReferences?.map(({ apiVersion, kind, name, uid }) => [apiVersion, kind, name, uid]),
      [[`${names.groups.minifleet}/v1alpha1`, 'MacHost', HOST, host.metadata.uid]],
    );
    await bench.api.client.delete(macHost.resource, { name: HOST });
    await assert.rejects(bench.secret(NAME), { code: 404 });
  });

  test('unchanged host credentials cause no writes', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    await bench.provider().access(host, bench.server);
    const before = bench.api.resourceVersion;
    await bench.provider().access(host, bench.server);
    assert.equal(bench.api.resourceVersion, before);
  });

  test('host credentials are restored after the Secret was deleted', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    const credentials = bench.provider();
    await credentials.access(host, bench.server);
    await bench.api.client.delete(secrets, { namespace: 'fleet', name: NAME });
    assert.equal((await credentials.access(host, bench.server)).password?.reveal().toString(), 'pass-1-1');
  });

  test('host credentials survive a lost response to the creation of their Secret', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    bench.api.faults.dropNext({ match: { method: 'POST', path: /secrets/ }, when: 'after' });
    await assert.rejects(bench.provider().access(host, bench.server), { reason: 'SecretUnavailable' });
    assert.equal((await bench.provider().access(host, bench.server)).user, 'm1');
  });

  test('a stored password stays when the vendor no longer returns it', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    await bench.provider().access(host, bench.server);
    const { password: _shown, ...sealed } = bench.server;
    assert.equal((await bench.provider().access(host, sealed)).password?.reveal().toString(), 'pass-1-1');
  });

  test('the first host key is pinned, and later ones are ignored', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    const credentials = bench.provider();
    await credentials.access(host, bench.server);
    await credentials.pin(host, 'SHA256:first');
    await credentials.pin(host, 'SHA256:second');
    assert.equal((await credentials.access(host, bench.server)).hostKey, 'SHA256:first');
  });

  test('the pinned host key survives a Secret that was deleted during a job', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    const credentials = bench.provider();
    await credentials.pin(host, 'SHA256:first');
    const { hostKey, password } = await credentials.access(host, bench.server);
    assert.deepEqual([hostKey, password?.reveal().toString()], ['SHA256:first', 'pass-1-1']);
  });

  test('I34 a rejected password stays marked across providers until another one is stored', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    const credentials = bench.provider();
    await credentials.access(host, bench.server);
    await credentials.passwordRejected(host, new Secret('p', 'pass-1-1'));
    assert.equal((await bench.provider().access(host, bench.server)).passwordRejected, true);
    await bench.write(NAME, { 'sudo-password': 'right' });
    const corrected = await bench.provider().access(host, bench.server);
    assert.deepEqual([corrected.passwordRejected, corrected.password?.reveal().toString()], [false, 'right']);
    await credentials.passwordRejected(host, new Secret('p', 'right'));
    const newer = { ...bench.server, password: new Secret('p', 'pass-1-2') };
    const replaced = await bench.provider().access(host, newer);
    assert.deepEqual([replaced.passwordRejected, replaced.password?.reveal().toString()], [false, 'pass-1-2']);
  });

  test('I06 a password written while the old one is being rejected is kept and tried', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    const credentials = bench.provider();
    const { password } = await credentials.access(host, bench.server);
    assert.ok(password);
    await bench.write(NAME, { 'sudo-password': 'right' });
    // Reported late and twice, as the end of a job can be.
    await credentials.passwordRejected(host, password);
    await credentials.passwordRejected(host, password);
    const corrected = await credentials.access(host, bench.server);
    assert.deepEqual([corrected.passwordRejected, corrected.password?.reveal().toString()], [false, 'right']);
  });

  test('the next host of a machine gets its own credentials', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    const credentials = bench.provider();
    await credentials.access(host, bench.server);
    await credentials.pin(host, 'SHA256:first');
    const server = bench.vendor.put({ id: memoryId(2), name: 'pool-2' });
    const next = await bench.host('a', { name: memoryId(2) });
    const access = await credentials.access(next, server);
    assert.deepEqual(
      [access.hostKey, access.password?.reveal().toString()],
      [undefined, server.password?.reveal().toString()],
    );
    const { labels } = (await bench.secret(`${memoryId(2)}-credentials`)).metadata;
    assert.equal(labels?.[names.labels.host], memoryId(2));
  });

  test('the host key in the source of an owned Mac is pinned, and no other replaces it', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { name: 'mini-01', owned: { ...OWNED, hostKey: PINNED } });
    const credentials = bench.provider();
    assert.equal((await credentials.access(host, ownedServer(bench.server))).hostKey, PINNED);
    await credentials.pin(host, 'SHA256:other');
    await bench.write('mini-01-credentials', { 'host-fingerprint': 'SHA256:other' });
    assert.equal((await credentials.access(host, ownedServer(bench.server))).hostKey, PINNED);
    assert.equal((await bench.texts('mini-01-credentials'))['host-fingerprint'], PINNED);
  });

  test('the first host key of an owned Mac without a host key in its source is pinned', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { name: 'mini-01', owned: OWNED });
    const credentials = bench.provider();
    await credentials.pin(host, 'SHA256:first');
    const access = await credentials.access(host, ownedServer(bench.server));
    assert.deepEqual([access.user, access.password, access.hostKey], ['admin', undefined, 'SHA256:first']);
  });

  test('a password that an operator stores for an owned Mac stays when its machine is deleted', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { name: 'mini-01', owned: OWNED });
    const credentials = bench.provider();
    await credentials.access(host, ownedServer(bench.server));
    await bench.write('mini-01-credentials', { 'sudo-password': 'ours' });
    await credentials.forget(host);
    const { password } = await bench.provider().access(host, ownedServer(bench.server));
    assert.equal(password?.reveal().toString(), 'ours');
  });

  test('an existing credentials Secret is adopted, and its other keys and labels stay', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    await bench.api.client.create(secrets, {
      metadata: { namespace: 'fleet', name: NAME, labels: { team: 'x' } },
      stringData: { 'ssh-username': 'm1', 'sudo-password': 'old', 'host-fingerprint': 'SHA256:old', note: 'mine' },
    });
    const { hostKey, password } = await bench.provider().access(host, bench.server);
    assert.deepEqual([hostKey, password?.reveal().toString()], ['SHA256:old', 'old']);
    assert.equal((await bench.texts(NAME))['note'], 'mine');
    const { labels } = (await bench.secret(NAME)).metadata;
    assert.deepEqual([labels?.['team'], labels?.[names.labels.host]], ['x', HOST]);
  });

  test('host credentials stay valid after clusterctl move changed the UID of the MacHost', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    await bench.provider().pin(host, 'SHA256:first');
    const { metadata, data } = await bench.secret(NAME);
    await bench.api.client.delete(macHost.resource, { name: HOST });
    const moved = await bench.host('a');
    assert.notEqual(moved.metadata.uid, host.metadata.uid);
    // clusterctl recreates the Secret with the new UID of its owner.
    const ownerReferences = metadata.ownerReferences?.map(owner => ({ ...owner, uid: moved.metadata.uid ?? '' })) ?? [];
    await bench.api.client.create(secrets, {
      metadata: { namespace: 'fleet', name: NAME, labels: metadata.labels ?? {}, ownerReferences },
      data: data ?? {},
    });
    assert.equal((await bench.provider().access(moved, bench.server)).hostKey, 'SHA256:first');
    assert.equal((await bench.secret(NAME)).metadata.ownerReferences?.[0]?.uid, moved.metadata.uid);
  });

  test('deleting the credentials of a rented host is repeatable and keeps the fleet key', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a', { fleet: 'runners' });
    const credentials = bench.provider();
    await credentials.fleetKey(host);
    await credentials.access(host, bench.server);
    await credentials.forget(host);
    await credentials.forget(host);
    await assert.rejects(bench.secret(NAME), { code: 404 });
    assert.ok(await bench.secret('runners-ssh'));
  });

  test('an API server that rejects the credentials Secret is reported with its name', async () => {
    const bench = await credentialsBench();
    const host = await bench.host('a');
    bench.api.faults.failNext({ match: { method: 'POST', path: /secrets/ }, status: 403 });
    await assert.rejects(bench.provider().access(host, bench.server), {
      code: 'CREDENTIALS_SECRET_UNAVAILABLE',
      message: new RegExp(`fleet/${NAME}`),
    });
  });
});

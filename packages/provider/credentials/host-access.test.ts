import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { names, scalewayAppleSiliconMachine } from '@minifleet/api';
import { secrets } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import { memoryId } from '@minifleet/vendors/testing';
import { credentialsBench, HOST } from './testing/credentials-bench.ts';

const NAME = 'a-bootstrap';

describe('host credentials', () => {
  test('host credentials come from the vendor and are stored in a Secret that the machine owns', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    const access = await bench.provider().hostAccess(machine, bench.server);
    assert.deepEqual([access.user, access.password?.reveal().toString()], ['m1', 'pass-1-1']);
    assert.deepEqual(await bench.texts(NAME), { 'ssh-username': 'm1', 'sudo-password': 'pass-1-1' });
    const { metadata } = await bench.secret(NAME);
    assert.equal(metadata.labels?.[names.labels.machineUID], machine.metadata.uid);
    assert.equal(metadata.labels?.[names.labels.host], HOST);
    assert.deepEqual(
      metadata.ownerReferences?.map(({ kind, uid }) => [kind, uid]),
      [['ScalewayAppleSiliconMachine', machine.metadata.uid]],
    );
    await bench.api.client.delete(scalewayAppleSiliconMachine.resource, { namespace: 'fleet', name: 'a' });
    await assert.rejects(bench.secret(NAME), { code: 404 });
  });

  test('unchanged host credentials cause no writes', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    await bench.provider().hostAccess(machine, bench.server);
    const before = bench.api.resourceVersion;
    await bench.provider().hostAccess(machine, bench.server);
    assert.equal(bench.api.resourceVersion, before);
  });

  test('host credentials are restored after the Secret was deleted', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    const credentials = bench.provider();
    await credentials.hostAccess(machine, bench.server);
    await bench.api.client.delete(secrets, { namespace: 'fleet', name: NAME });
    assert.equal((await credentials.hostAccess(machine, bench.server)).password?.reveal().toString(), 'pass-1-1');
  });

  test('host credentials survive a lost response to the creation of their Secret', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    bench.api.faults.dropNext({ match: { method: 'POST', path: /secrets/ }, when: 'after' });
    await assert.rejects(bench.provider().hostAccess(machine, bench.server), { reason: 'SecretUnavailable' });
    assert.equal((await bench.provider().hostAccess(machine, bench.server)).user, 'm1');
  });

  test('a stored password stays when the vendor no longer returns it', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    await bench.provider().hostAccess(machine, bench.server);
    const { password: _shown, ...sealed } = bench.server;
    assert.equal((await bench.provider().hostAccess(machine, sealed)).password?.reveal().toString(), 'pass-1-1');
  });

  test('the first host key is pinned, and later ones are ignored', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    const credentials = bench.provider();
    await credentials.hostAccess(machine, bench.server);
    await credentials.pin(machine, 'SHA256:first');
    await credentials.pin(machine, 'SHA256:second');
    assert.equal((await credentials.hostAccess(machine, bench.server)).hostKey, 'SHA256:first');
  });

  test('the pinned host key survives a Secret that was deleted during a job', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    const credentials = bench.provider();
    await credentials.pin(machine, 'SHA256:first');
    const { hostKey, password } = await credentials.hostAccess(machine, bench.server);
    assert.deepEqual([hostKey, password?.reveal().toString()], ['SHA256:first', 'pass-1-1']);
  });

  test('I34 a rejected password stays marked across providers until another one is stored', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    const credentials = bench.provider();
    await credentials.hostAccess(machine, bench.server);
    await credentials.passwordRejected(machine, new Secret('p', 'pass-1-1'));
    assert.equal((await bench.provider().hostAccess(machine, bench.server)).passwordRejected, true);
    await bench.write(NAME, { 'sudo-password': 'right' });
    const corrected = await bench.provider().hostAccess(machine, bench.server);
    assert.deepEqual([corrected.passwordRejected, corrected.password?.reveal().toString()], [false, 'right']);
    await credentials.passwordRejected(machine, new Secret('p', 'right'));
    const newer = { ...bench.server, password: new Secret('p', 'pass-1-2') };
    const replaced = await bench.provider().hostAccess(machine, newer);
    assert.deepEqual([replaced.passwordRejected, replaced.password?.reveal().toString()], [false, 'pass-1-2']);
  });

  test('I06 a password written while the old one is being rejected is kept and tried', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    const credentials = bench.provider();
    const { password } = await credentials.hostAccess(machine, bench.server);
    assert.ok(password);
    await bench.write(NAME, { 'sudo-password': 'right' });
    // Reported late and twice, as the end of a job can be.
    await credentials.passwordRejected(machine, password);
    await credentials.passwordRejected(machine, password);
    const corrected = await credentials.hostAccess(machine, bench.server);
    assert.deepEqual([corrected.passwordRejected, corrected.password?.reveal().toString()], [false, 'right']);
  });

  test('credentials of an earlier host of the machine are not used for the next host', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    const credentials = bench.provider();
    await credentials.hostAccess(machine, bench.server);
    await credentials.pin(machine, 'SHA256:first');
    const next = bench.vendor.put({ id: memoryId(2), name: 'pool-2' });
    const access = await credentials.hostAccess(machine, next);
    assert.deepEqual(
      [access.hostKey, access.password?.reveal().toString()],
      [undefined, next.password?.reveal().toString()],
    );
    assert.equal((await bench.secret(NAME)).metadata.labels?.[names.labels.host], memoryId(2));
  });

  test('credentials of an earlier machine with the same name are not used', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    await bench.provider().pin(machine, 'SHA256:first');
    const recreated = { ...machine, metadata: { ...machine.metadata, uid: 'another' } };
    assert.equal((await bench.provider().hostAccess(recreated, bench.server)).hostKey, undefined);
  });

  test('a Secret of the previous system is adopted, and its other keys stay', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a');
    await bench.api.client.create(secrets, {
      metadata: { namespace: 'fleet', name: NAME, labels: { team: 'x' } },
      stringData: { 'ssh-username': 'm1', 'sudo-password': 'old', 'host-fingerprint': 'SHA256:old', note: 'mine' },
    });
    const { hostKey, password } = await bench.provider().hostAccess(machine, bench.server);
    assert.deepEqual([hostKey, password?.reveal().toString()], ['SHA256:old', 'old']);
    assert.equal((await bench.texts(NAME))['note'], 'mine');
    const { labels } = (await bench.secret(NAME)).metadata;
    assert.deepEqual([labels?.['team'], labels?.[names.labels.host]], ['x', HOST]);
  });

  test('host credentials stay valid after clusterctl move changed the machine UID', async () => {
    const bench = await credentialsBench();
    const moved = await bench.machine('a');
    await bench.provider().pin(moved, 'SHA256:first');
    const body = { metadata: { labels: { [names.labels.machineUID]: 'before-the-move' } } };
    await bench.api.client.patch(secrets, { namespace: 'fleet', name: NAME }, { type: 'merge', body });
    assert.equal((await bench.provider().hostAccess(moved, bench.server)).hostKey, 'SHA256:first');
    assert.equal((await bench.secret(NAME)).metadata.labels?.[names.labels.machineUID], moved.metadata.uid);
  });

  test('deleting host credentials is repeatable and never deletes those of a newer machine', async () => {
    const bench = await credentialsBench();
    const machine = await bench.machine('a', { fleetName: 'runners' });
    const credentials = bench.provider();
    await credentials.fleetKey(machine);
    await credentials.hostAccess(machine, bench.server);
    await credentials.forget({ ...machine, metadata: { ...machine.metadata, uid: 'earlier' } });
    assert.ok(await bench.secret(NAME));
    await credentials.forget(machine);
    await credentials.forget(machine);
    await assert.rejects(bench.secret(NAME), { code: 404 });
    assert.ok(await bench.secret('runners-ssh'));
  });
});

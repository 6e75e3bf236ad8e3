import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Errors } from '@scaleway/sdk-client';
import { clientsOf, startTestScaleway } from '../testing/start-test-scaleway.ts';

const BLOB = 'AAAAC3NzaC1lZDI1NTE5AAAAICJEoOOgQBLJPs4g/XcPTKT82NywNPpxeuA20FlOPlpO';
const publicKey = `ssh-ed25519 ${BLOB} fleet@minifleet`;

const denied = (message: string) => (error: Error) => {
  assert.ok(error instanceof Errors.PermissionsDeniedError);
  assert.deepEqual([error.status, error.message], [403, message]);
  return true;
};

test('SSH keys: a key is created, found, renamed and deleted, and its comment is dropped', async () => {
  await using world = await startTestScaleway();
  const projectId = world.apiFor().defaultProjectId;
  const made = await world.iam.createSSHKey({ name: 'fleet', publicKey, projectId });
  assert.equal(made.publicKey, `ssh-ed25519 ${BLOB}`);
  assert.equal(made.fingerprint, '256 MD5:6b:cd:72:8a:ae:45:24:4b:2b:72:f6:d0:6a:8d:16:06 (ssh-ed25519)');
  await world.iam.updateSSHKey({ sshKeyId: made.id, name: 'renamed' });
  assert.equal((await world.iam.getSSHKey({ sshKeyId: made.id })).name, 'renamed');
  const found = await world.iam.listSSHKeys({ projectId, name: 'renamed', pageSize: 100 }).all();
  assert.deepEqual(
    found.map(key => key.id),
    [made.id],
  );
  await world.iam.deleteSSHKey({ sshKeyId: made.id });
  await assert.rejects(world.iam.getSSHKey({ sshKeyId: made.id }), Errors.ResourceNotFoundError);
  assert.deepEqual(world.journal.gaps, []);
});

test('I23 listing keys without the project is denied under a policy of one project', async () => {
  await using world = await startTestScaleway();
  await assert.rejects(world.iam.listSSHKeys({}), denied('insufficient permissions: list ssh_key'));
  assert.equal((await world.iam.listSSHKeys({ projectId: world.apiFor().defaultProjectId })).totalCount, 0);
});

test('I23 creating a key without the project is denied as well', async () => {
  await using world = await startTestScaleway();
  const { defaultProjectId: _, ...unscoped } = world.apiFor();
  const { iam } = clientsOf(unscoped as ReturnType<typeof world.apiFor>);
  await assert.rejects(iam.createSSHKey({ publicKey }), denied('insufficient permissions: create ssh_key'));
});

test('I23 a policy of the organization needs no project', async () => {
  await using world = await startTestScaleway({ keys: [{}] });
  const { iam } = clientsOf(world.apiFor('default', world.organization.keys[0]));
  assert.equal((await iam.listSSHKeys({})).totalCount, 0);
});

test('SSH keys: IAMManager does not cover them', async () => {
  await using world = await startTestScaleway({ keys: [{ project: 'default', permissions: ['IAMManager'] }] });
  const { iam } = clientsOf(world.apiFor('default', world.organization.keys[0]));
  const listing = iam.listSSHKeys({ projectId: world.apiFor().defaultProjectId });
  await assert.rejects(listing, denied('insufficient permissions: list ssh_key'));
});

test('SSH keys: two keys may share a name and differ only in the key material', async () => {
  await using world = await startTestScaleway();
  const other = `ssh-ed25519 ${BLOB.slice(0, -1)}P`;
  await world.iam.createSSHKey({ name: 'fleet', publicKey });
  await world.iam.createSSHKey({ name: 'fleet', publicKey: other });
  const { sshKeys } = await world.iam.listSSHKeys({ projectId: world.apiFor().defaultProjectId, name: 'fleet' });
  assert.equal(new Set(sshKeys.map(key => key.publicKey)).size, 2);
});

test('SSH keys: an invalid public key is rejected', async () => {
  await using world = await startTestScaleway();
  for (const line of ['', 'ssh-ed25519', `ssh-rsa ${BLOB}`, `ssh-ed25519 ${BLOB.slice(0, 8)}`]) {
    await assert.rejects(world.iam.createSSHKey({ publicKey: line }), Errors.InvalidArgumentsError);
  }
});

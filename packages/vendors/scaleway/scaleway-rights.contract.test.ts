import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Secret } from '@minifleet/secret';
import { FIRST_KEY } from '../testing/contract/public-keys.ts';
import type { Vendor } from '../vendor.ts';
import { benchFor, type ScalewayBench, type WorldOptions } from './testing/scaleway-bench.ts';

/** The driver with the key of that permission. */
function withKey({ scaleway, open }: ScalewayBench, accessKey: string): Vendor {
  const key = scaleway.organization.keys.find(candidate => candidate.accessKey === accessKey);
  assert.ok(key);
  return open({ accessKey, secretKey: new Secret('another key', key.secretKey) });
}

const READER = 'SCWREADERXXXXXXXXXXX';
const NOBODY = 'SCWNOBODYXXXXXXXXXXX';
const OWNER = 'SCWOWNERXXXXXXXXXXXX';
const keys: NonNullable<WorldOptions['keys']> = [
  { project: 'default', accessKey: READER, permissions: ['AppleSiliconReadOnly'] },
  { project: 'default', accessKey: NOBODY, permissions: ['SSHKeysFullAccess'] },
  { accessKey: OWNER },
];

test('a Scaleway API key without permissions is refused, and no server counts as deleted', async t => {
  const world = await benchFor(t, { keys });
  const ref = await world.addServer('one');
  const vendor = withKey(world, NOBODY);
  const refusal = { code: 'VENDOR_REFUSED', message: /insufficient permissions: list server\); check the access key/ };
  await assert.rejects(vendor.server(ref), refusal);
  await assert.rejects(vendor.rename(ref, 'mine'), refusal);
  await assert.rejects(vendor.servers(world.zone), refusal);
});

test('a read-only Scaleway API key cannot rename, and the server does not count as deleted', async t => {
  const world = await benchFor(t, { keys });
  const ref = await world.addServer('one');
  const vendor = withKey(world, READER);
  assert.equal((await vendor.server(ref))?.name, 'one');
  await assert.rejects(vendor.rename(ref, 'mine'), { code: 'VENDOR_REFUSED', message: /write server/ });
});

test('I23: keys and servers of another Scaleway project are neither listed nor changed', async t => {
  const world = await benchFor(t, { keys, projects: [{ name: 'default' }, { name: 'theirs' }] });
  await world.scaleway.console.addServer({ name: 'theirs', project: 'theirs' });
  await world.addServer('ours');
  const vendor = withKey(world, OWNER);
  const theirs = withKeyOf(world, 'theirs');
  await theirs.registerKey({ name: 'fleet', publicKey: FIRST_KEY });
  assert.deepEqual(
    (await vendor.servers(world.zone)).map(({ name }) => name),
    ['ours'],
  );
  assert.equal((await vendor.registerKey({ name: 'fleet', publicKey: FIRST_KEY })).outcome, 'created');
  assert.equal(world.scaleway.console.sshKeys().length, 2);
});

function withKeyOf({ scaleway, open }: ScalewayBench, project: string): Vendor {
  const { accessKey, secretKey, defaultProjectId } = scaleway.apiFor(project);
  return open({ accessKey, secretKey: new Secret('another key', secretKey), projectId: defaultProjectId });
}

test('malformed Scaleway credentials are refused immediately and never printed', async t => {
  const { open } = await benchFor(t);
  const secretKey = new Secret('the secret key', 'hunter2-hunter2');
  const opening = (): Vendor => open({ accessKey: '', secretKey, projectId: 'default' });
  assert.throws(opening, (error: Error & { code?: string }) => {
    assert.equal(error.code, 'VENDOR_REFUSED');
    assert.match(error.message, /access key is not of the form .* secret key is not a UUID; the project id is not/);
    assert.doesNotMatch(inspect(error, { depth: 10 }), /hunter2/);
    return true;
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_KEY } from '../testing/contract/public-keys.ts';
import { benchFor, type ScalewayBench } from './testing/scaleway-bench.ts';

/** Summary of the requests since the mark. */
const sentSince = ({ requests }: ScalewayBench, mark: number): string[] =>
  requests()
    .slice(mark)
    .map(line => line.replace(/\/\S*\/(?=servers|os|ssh-keys)/, '').replace(/[0-9a-f-]{36}/, 'ID'));

test('each Scaleway call sends the number of requests in the README', async t => {
  const world = await benchFor(t);
  const { vendor, zone, addServer, requests, removeServer, finish } = world;
  const ref = await addServer('one');
  const cost = async (call: () => Promise<unknown>): Promise<string[]> => {
    const mark = requests().length;
    await call().catch(() => undefined);
    return sentSince(world, mark);
  };
  assert.deepEqual(await cost(() => vendor.servers(zone)), ['GET servers 200']);
  assert.deepEqual(await cost(() => vendor.server(ref)), ['GET servers/ID 200']);
  assert.deepEqual(await cost(() => vendor.rename(ref, 'mine')), ['PATCH servers/ID 200']);
  assert.deepEqual(await cost(() => vendor.images(zone, 'M2-L')), ['GET os 200']);
  assert.deepEqual(await cost(() => vendor.reboot(ref)), ['POST servers/ID/reboot 200']);
  await finish(ref.id);
  const exact = await cost(() => vendor.reinstall(ref, 'macos-tahoe-26.3'));
  assert.deepEqual(exact, ['GET servers/ID 200', 'GET os 200', 'POST servers/ID/reinstall 200']);
  const again = await cost(() => vendor.reinstall(ref, undefined));
  assert.deepEqual(
    again.map(line => line.slice(0, 30)),
    ['POST servers/ID/reinstall 409 ', 'GET servers/ID 200'],
  );
  const key = { name: 'fleet', publicKey: FIRST_KEY };
  assert.deepEqual(await cost(() => vendor.registerKey(key)), ['GET ssh-keys 200', 'POST ssh-keys 200']);
  assert.deepEqual(await cost(() => vendor.registerKey(key)), ['GET ssh-keys 200']);
  await finish(ref.id);
  await removeServer(ref.id);
  const gone = await cost(() => vendor.server(ref));
  assert.deepEqual(
    gone.map(line => line.slice(0, 18)),
    ['GET servers/ID 403', 'GET servers 200'],
  );
});

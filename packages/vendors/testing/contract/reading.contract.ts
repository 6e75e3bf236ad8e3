import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Secret } from '@minifleet/secret';
import type { Topic } from './vendor-bench.ts';

export const readingContract: Topic = test => {
  test('the server list of a zone has no server of another zone', async ({ vendor, zone, otherZone, addServer }) => {
    await addServer('one');
    await addServer('two');
    await addServer('elsewhere', otherZone);
    const names = async (of: string) => (await vendor.servers(of)).map(({ name }) => name).toSorted();
    assert.deepEqual(await names(zone), ['one', 'two']);
    assert.deepEqual(await names(otherZone), ['elsewhere']);
  });

  test('a zone without servers has an empty list', async ({ vendor, zone }) => {
    assert.deepEqual(await vendor.servers(zone), []);
  });

  test('a server has the same fields in a read and in a list, and can be reached', async bench => {
    const { vendor, zone, addServer } = bench;
    const ref = await addServer('one');
    const [listed] = await vendor.servers(zone);
    assert.deepEqual(await vendor.server(ref), listed);
    assert.ok(listed);
    assert.match(listed.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.deepEqual([listed.id, listed.zone, listed.name, listed.state], [ref.id, zone, 'one', 'ready']);
    for (const word of [listed.type, listed.image.name, listed.image.family, listed.image.version, listed.user]) {
      assert.notEqual(word, '');
    }
    assert.ok(listed.address && listed.stateWord);
    assert.ok(listed.password === undefined || listed.password instanceof Secret);
    assert.notEqual(listed.password?.reveal().toString(), '<sealed>');
  });

  test('an unknown server is undefined and not an error', async ({ vendor, zone, addServer }) => {
    await addServer('one');
    assert.equal(await vendor.server({ zone, id: randomUUID() }), undefined);
  });

  test('a deleted server is undefined and no longer listed', async ({ vendor, zone, addServer, removeServer }) => {
    const ref = await addServer('one');
    await addServer('two');
    await removeServer(ref.id);
    assert.equal(await vendor.server(ref), undefined);
    assert.deepEqual(
      (await vendor.servers(zone)).map(({ name }) => name),
      ['two'],
    );
  });

  test('a server is found only in its own zone', async ({ vendor, otherZone, addServer }) => {
    const { id } = await addServer('one');
    assert.equal(await vendor.server({ zone: otherZone, id }), undefined);
  });
};

import assert from 'node:assert/strict';
import { refusesTheGone } from './gone.ts';
import type { Topic } from './vendor-bench.ts';

export const namesContract: Topic = test => {
  test('a rename changes only the name of a server, in lists and reads', async bench => {
    const { vendor, zone, addServer } = bench;
    const ref = await addServer('one');
    await addServer('two');
    const before = await vendor.server(ref);
    await vendor.rename(ref, 'mine');
    assert.deepEqual(await vendor.server(ref), { ...before, name: 'mine' });
    assert.deepEqual((await vendor.servers(zone)).map(({ name }) => name).toSorted(), ['mine', 'two']);
  });

  test('a rename to the current name succeeds', async ({ vendor, addServer }) => {
    const ref = await addServer('one');
    await vendor.rename(ref, 'mine');
    await vendor.rename(ref, 'mine');
    assert.equal((await vendor.server(ref))?.name, 'mine');
  });

  test('concurrent renames of different servers all take effect', async ({ vendor, addServer }) => {
    const refs = [await addServer('one'), await addServer('two'), await addServer('three')];
    await Promise.all(refs.map((ref, index) => vendor.rename(ref, `mine-${index}`)));
    const names = await Promise.all(refs.map(async ref => (await vendor.server(ref))?.name));
    assert.deepEqual(names, ['mine-0', 'mine-1', 'mine-2']);
  });

  test('a rename of a deleted server is an error', bench =>
    refusesTheGone(bench, (vendor, ref) => vendor.rename(ref, 'mine')));
};

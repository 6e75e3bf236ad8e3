import assert from 'node:assert/strict';
import { refusesTheGone } from './gone.ts';
import type { Topic } from './vendor-bench.ts';

export const namesContract: Topic = test => {
  test('a new name is in the next list and in the next read; nothing else changed', async bench => {
    const { vendor, zone, addServer } = bench;
    const ref = await addServer('one');
    await addServer('two');
    const before = await vendor.server(ref);
    await vendor.rename(ref, 'mine');
    assert.deepEqual(await vendor.server(ref), { ...before, name: 'mine' });
    assert.deepEqual((await vendor.servers(zone)).map(({ name }) => name).toSorted(), ['mine', 'two']);
  });

  test('the same name again is no trouble', async ({ vendor, addServer }) => {
    const ref = await addServer('one');
    await vendor.rename(ref, 'mine');
    await vendor.rename(ref, 'mine');
    assert.equal((await vendor.server(ref))?.name, 'mine');
  });

  test('the last writer wins, and many at once do not lose each other’s servers', async ({ vendor, addServer }) => {
    const refs = [await addServer('one'), await addServer('two'), await addServer('three')];
    await Promise.all(refs.map((ref, index) => vendor.rename(ref, `mine-${index}`)));
    const names = await Promise.all(refs.map(async ref => (await vendor.server(ref))?.name));
    assert.deepEqual(names, ['mine-0', 'mine-1', 'mine-2']);
  });

  test('a server that is gone takes no name', bench =>
    refusesTheGone(bench, (vendor, ref) => vendor.rename(ref, 'mine')));
};

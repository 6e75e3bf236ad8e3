import assert from 'node:assert/strict';
import { refusesTheGone } from './gone.ts';
import type { Topic } from './vendor-bench.ts';

export const reinstallContract: Topic = (test, { can }) => {
  if (!can.reinstall) {
    test('a vendor without reinstall rejects it and offers no images', async ({ vendor, zone, addServer }) => {
      const ref = await addServer('one');
      await assert.rejects(vendor.reinstall(ref, undefined), { code: 'VENDOR_CANNOT' });
      assert.deepEqual(await vendor.images(zone, (await vendor.server(ref))?.type ?? ''), []);
      assert.equal((await vendor.server(ref))?.state, 'ready');
    });
    return;
  }

  test('a server can be reinstalled with any image offered for its type', async bench => {
    const { vendor, zone, addServer, finish } = bench;
    const ref = await addServer('one');
    const images = await vendor.images(zone, (await vendor.server(ref))?.type ?? '');
    assert.equal(new Set(images.map(({ name }) => name)).size, images.length);
    for (const { name } of images.slice(0, 2)) {
      await vendor.reinstall(ref, name);
      assert.equal((await vendor.server(ref))?.state, 'busy');
      await finish(ref.id);
      const after = await vendor.server(ref);
      assert.deepEqual([after?.image.name, after?.state, after?.name], [name, 'ready', 'one']);
    }
  });

  test('a reinstall without an image uses an offered one and sets a new password', async bench => {
    const { vendor, zone, addServer, finish } = bench;
    const ref = await addServer('one');
    const before = await vendor.server(ref);
    await vendor.reinstall(ref, undefined);
    await finish(ref.id);
    const after = await vendor.server(ref);
    const images = await vendor.images(zone, before?.type ?? '');
    assert.ok(images.some(({ name }) => name === after?.image.name));
    assert.notEqual(after?.password?.reveal().toString(), before?.password?.reveal().toString());
  });

  test('a reinstall during another one succeeds and keeps the first image', async bench => {
    const { vendor, zone, addServer } = bench;
    const ref = await addServer('one');
    const [one, other] = await vendor.images(zone, (await vendor.server(ref))?.type ?? '');
    await vendor.reinstall(ref, one?.name);
    await vendor.reinstall(ref, one?.name);
    await vendor.reinstall(ref, other?.name);
    assert.deepEqual((await vendor.server(ref))?.image, one);
  });

  test('an unavailable image is rejected with the available ones, and nothing is wiped', async ({
    vendor,
    addServer,
  }) => {
    const ref = await addServer('one');
    await assert.rejects(vendor.reinstall(ref, 'macos-lion-10.7'), {
      code: 'VENDOR_IMAGE_NOT_OFFERED',
      message: /image macos-lion-10\.7 is not offered for .*; offered: macos-/,
    });
    assert.equal((await vendor.server(ref))?.state, 'ready');
  });

  test('a reinstall of a deleted server is an error', async bench => {
    await refusesTheGone(bench, (vendor, ref) => vendor.reinstall(ref, undefined));
    await refusesTheGone(bench, (vendor, ref) => vendor.reinstall(ref, 'macos-lion-10.7'));
  });
};

import assert from 'node:assert/strict';
import { FIRST_KEY, SECOND_KEY } from './public-keys.ts';
import type { Topic } from './vendor-bench.ts';

export const keysContract: Topic = (test, { sends }) => {
  if (!sends.includes('registerKey')) {
    test('a vendor without an SSH key API reports every SSH key as present', async ({ vendor }) => {
      const first = await vendor.registerKey({ name: 'fleet', publicKey: FIRST_KEY });
      assert.equal(first.outcome, 'present');
      assert.notEqual(first.id, (await vendor.registerKey({ name: 'fleet', publicKey: SECOND_KEY })).id);
    });
    return;
  }

  test('an SSH key is registered once, regardless of its comment', async ({ vendor, keys }) => {
    const created = await vendor.registerKey({ name: 'fleet', publicKey: `${FIRST_KEY} made for the fleet` });
    const again = await vendor.registerKey({ name: 'fleet', publicKey: FIRST_KEY });
    assert.deepEqual([created.outcome, again.outcome], ['created', 'present']);
    assert.equal(again.id, created.id);
    assert.equal(keys().length, 1);
  });

  test('an SSH key of the same name with other material is replaced', async ({ vendor, keys }) => {
    const first = await vendor.registerKey({ name: 'fleet', publicKey: FIRST_KEY });
    const second = await vendor.registerKey({ name: 'fleet', publicKey: SECOND_KEY });
    assert.equal(second.outcome, 'replaced');
    assert.notEqual(second.id, first.id);
    assert.deepEqual(keys(), [SECOND_KEY]);
  });

  test('SSH keys with other names stay', async ({ vendor, keys }) => {
    await vendor.registerKey({ name: 'ours', publicKey: FIRST_KEY });
    await vendor.registerKey({ name: 'theirs', publicKey: SECOND_KEY });
    assert.deepEqual(keys().toSorted(), [FIRST_KEY, SECOND_KEY].toSorted());
  });
};

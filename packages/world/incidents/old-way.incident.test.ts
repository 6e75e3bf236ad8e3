import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { incidents, reenact } from './old-way.ts';

import { openScene } from './scene-mac.ts';

describe('done the old way, the world hurts as it did', () => {
  for (const incident of incidents) {
    test(`${incident.id} ${incident.title}`, async () => {
      const { said, hurt } = await reenact(incident, () => openScene());
      assert.ok(hurt, `expected ${incident.seen}, but it said: ${said}`);
    });
  }

  test('no incident needed anything the world does not model', async () => {
    for (const incident of incidents) {
      const scene = await openScene();
      await reenact(incident, async () => scene);
      assert.deepEqual(scene.around.journal.gaps, [], incident.id);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { incidents } from '@minifleet/world';
import { elsewhere } from './elsewhere.ts';
import { liveThrough } from './live-through.ts';
import { ourWays } from './our-ways.ts';

describe('done our way, an incident comes to what the list asks for', () => {
  for (const incident of ourWays) {
    test(`${incident.id} ${incident.title}: ${incident.row}`, async () => {
      const { said, gaps } = await liveThrough(incident);
      assert.match(said, incident.seen);
      assert.deepEqual(gaps, []);
    });
  }

  test('every incident of the list is done our way or named as belonging elsewhere, and none is both', () => {
    const answered = [...ourWays, ...elsewhere].map(({ id }) => id).sort();
    assert.deepEqual(answered, incidents.map(({ id }) => id).sort());
  });

  test('an incident keeps its title in both lists', () => {
    const titles = new Map(incidents.map(({ id, title }) => [id, title]));
    assert.deepEqual(
      ourWays.filter(({ id, title }) => titles.get(id) !== title).map(({ id }) => id),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { withScreens } from '../screens/shown-in-page.ts';
import { folder, incidentPages } from './incident-page.ts';
import { recordReenactments } from './record-reenactments.ts';

test('the screens on incident pages match the output of the reproductions', async () => {
  const screens = await recordReenactments();
  const stale = incidentPages().filter(({ file }) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    return withScreens(text, screens) !== text;
  });
  assert.deepEqual(
    stale.map(({ file }) => file),
    [],
    'run: node docs/incidents/write-reenactments.ts',
  );
});

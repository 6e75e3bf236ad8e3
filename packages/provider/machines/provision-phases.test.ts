import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineConditions } from '@minifleet/api';
import { provisionPhases } from './provision-phases.ts';
import { releasePhases } from './release-phases.ts';

test('every condition of the way to a Node has one phase, in the order of the catalogue', () => {
  const types = Object.keys(machineConditions);
  const ways = types.slice(0, types.indexOf('Ready'));
  assert.deepEqual(
    provisionPhases.map(({ condition }) => condition),
    ways,
  );
});

test('the steps of the way back stand in the order in which the catalogue explains them', () => {
  const reasons = Object.keys(machineConditions.Deleting.reasons);
  const places = releasePhases.map(({ reason }) => reasons.indexOf(reason));
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
  assert.ok(places.every(place => place > 0));
});

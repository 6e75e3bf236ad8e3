import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isLive } from './incident.ts';
import { hostFaults, incidents } from './incidents.ts';
import { hasOldWay } from './reenact.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

test('every incident has a unique id', () => {
  assert.equal(new Set(incidents.map(({ id }) => id)).size, incidents.length);
});

test('every incident with an original procedure is handled by Minifleet or names the tests that cover it', () => {
  const wrong = incidents.filter(hasOldWay).filter(({ ourWay, coveredBy }) => Boolean(ourWay) === Boolean(coveredBy));
  assert.deepEqual(
    wrong.map(({ id }) => id),
    [],
  );
});

test('every live fault has one line for fault and reaction, a fleet, and a limit of one to four minutes', () => {
  for (const { id, fault, expected, within, fleets } of hostFaults) {
    assert.match(`${fault} → ${expected}`, /^[^\n]+[^.\n]$/, id);
    assert.ok(within >= 60_000 && within <= 240_000, `${id} has ${within} ms`);
    assert.ok(fleets.length > 0, id);
  }
});

test('every file that covers an incident exists', () => {
  const files = incidents.flatMap(({ coveredBy = '' }) => coveredBy.match(/[\w/.-]+\.(?:ts|md)\b/g) ?? []);
  assert.ok(files.length > 10);
  assert.deepEqual(
    files.filter(file => !existsSync(ROOT + file)),
    [],
  );
});

test('every incident that cannot be injected into a host names an existing test', () => {
  for (const { id, coveredBy = '' } of incidents.filter(({ live }) => !isLive(live))) {
    const [file = '', name = ''] = coveredBy.split(' › ');
    assert.ok(existsSync(ROOT + file), `${id}: ${file}`);
    assert.ok(readFileSync(ROOT + file, 'utf8').includes(name.replace(`${id} `, '')), `${id}: ${name}`);
  }
});

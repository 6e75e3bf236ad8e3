import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { INSTALL_CRDS } from './errors.ts';

test('the CRD install command matches the README and the chart README', () => {
  for (const page of ['README.md', 'charts/minifleet-crds/README.md']) {
    assert.ok(readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8').includes(INSTALL_CRDS), page);
  }
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { INSTALL_KINDS } from './errors.ts';

test('the kinds are installed by the command that the README and their chart give', () => {
  for (const page of ['README.md', 'charts/minifleet-crds/README.md']) {
    assert.ok(readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8').includes(INSTALL_KINDS), page);
  }
});

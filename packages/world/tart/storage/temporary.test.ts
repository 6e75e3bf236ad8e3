import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TartCall } from '../tart-call.ts';
import { makeWorldDeps } from '../testing/make-world-deps.ts';
import { collectTemporary, makeTemporary } from './temporary.ts';

test('a temporary bundle is locked before another call of tart can see and remove it', context => {
  const home = mkdtempSync(join(tmpdir(), 'tart-home-'));
  context.after(() => rmSync(home, { recursive: true }));
  const other = { home, around: makeWorldDeps() } as TartCall;
  // The other call collects at every point where this one reads its home.
  const interrupted = {
    ...other,
    get home() {
      collectTemporary(other);
      return home;
    },
  };

  const made = makeTemporary(interrupted);
  collectTemporary(other);
  assert.ok(existsSync(made.bundle.directory));

  made.discard();
  assert.ok(!existsSync(made.bundle.directory));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stage } from '../stage.ts';
import { requireHurt } from './old-way.ts';

test('a strike that did not hurt is said to be in vain, with what was seen instead', () => {
  const stage = { name: 'macos-1' } as Stage;
  const incident = { id: 'I05', seen: /tables are left/ };
  requireHurt(stage, incident, 'two tables are left');
  assert.throws(() => requireHurt(stage, incident, 'nothing is left\n'), {
    code: 'STRIKE_IN_VAIN',
    message: /^I05 did not hurt macos-1, .*: nothing is left; see that the host is Ready, and try again/,
  });
});

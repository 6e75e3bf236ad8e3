import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { makeTart } from '../testing/make-tart.ts';

/** Shares the lock until it is released, as a check of it does for a moment. */
function lookAt(path: string): { end(): void } {
  const database = new DatabaseSync(path);
  database.exec('BEGIN; SELECT count(*) FROM sqlite_master');
  return { end: () => database.close() };
}

test('a VM starts although another process checks its lock for a long time', async context => {
  const tart = makeTart();
  context.after(() => tart.cleanUp());
  await tart.call(['create', 'vm', '--from-ipsw', 'latest']);
  const look = lookAt(join(tart.home, 'vms', 'vm', '.lock'));
  const started = tart.start(['run', 'vm', '--no-graphics']);
  const isRunning = async () => (await tart.call(['list', '--format', 'json'])).stdout.includes('"Running" : true');

  // A process that waits for the lock blocks later checks.
  await eventually(isRunning, { what: 'a run that waits for the lock' });
  for (let looks = 0; looks < 3; looks++) assert.ok(await isRunning(), 'the run gave up');
  look.end();

  await eventually(async () => (await tart.call(['ip', 'vm'])).code === 0, { what: 'the VM has an address' });
  assert.equal(started.stderr, '');
});

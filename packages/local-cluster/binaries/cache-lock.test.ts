import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { withCacheLock } from './cache-lock.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'minifleet-lock-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const lock = path.join(directory, 'filling.lock');

test('cache lock: the second process waits for the first and learns its pid', async () => {
  const order: string[] = [];
  const holding = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<number>();
  const first = withCacheLock(
    directory,
    () => {},
    async () => {
      holding.resolve();
      assert.equal(await waiting.promise, process.pid);
      order.push('first');
    },
  );
  await holding.promise;
  const second = withCacheLock(directory, waiting.resolve, async () => void order.push('second'));
  await Promise.all([first, second]);
  assert.deepEqual(order, ['first', 'second']);
  assert.ok(!existsSync(lock));
});

test('cache lock: the lock of a dead process is taken over', async () => {
  const { pid } = spawnSync('true');
  writeFileSync(lock, `${pid}\n`);
  assert.equal(
    await withCacheLock(
      directory,
      () => assert.fail('waited for the dead'),
      async () => 'mine',
    ),
    'mine',
  );
});

test('cache lock: a failure releases the lock', async () => {
  await assert.rejects(
    withCacheLock(
      directory,
      () => {},
      () => Promise.reject(new Error('build')),
    ),
    /build/,
  );
  assert.ok(!existsSync(lock));
});

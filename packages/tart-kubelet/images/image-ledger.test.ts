import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { silentLog } from '@minifleet/kube';
import { ledgerFile, openImageLedger } from './image-ledger.ts';

function openable(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'ledger-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'images.json');
  const clock = fakeClock({ now: 1_000 });
  return { path, clock, open: () => openImageLedger({ file: ledgerFile(path), clock, log: silentLog }) };
}

const A = 'ghcr.io/a@sha256:1';
const arrived = { digest: A, fetched: true };

test('the image ledger keeps pulled images and their last use across a restart, not foreign ones', async t => {
  const { clock, open } = openable(t);
  const ledger = await open();
  await ledger.intend('ghcr.io/a:1', undefined);
  await ledger.settle('ghcr.io/a:1', arrived);
  await ledger.settle('ghcr.io/b:1', { digest: 'ghcr.io/b@sha256:2', fetched: false });
  await clock.advance(seconds(5));
  ledger.used(A);
  ledger.used('ghcr.io/b@sha256:2');
  await ledger.save();
  assert.deepEqual([...(await open()).owned()], [[A, 6_000]]);
});

test('the image ledger owns an image that arrived while the agent was down, unless it existed before', async t => {
  const { open } = openable(t);
  const before = await open();
  await before.intend('ghcr.io/a:1', undefined);
  await before.intend('ghcr.io/b:1', 'ghcr.io/b@sha256:2');
  await before.intend('ghcr.io/c:1', undefined);
  const ledger = await open();
  const now: Record<string, string> = { 'ghcr.io/a:1': A, 'ghcr.io/b:1': 'ghcr.io/b@sha256:2' };
  await ledger.recover(async reference => now[reference]);
  assert.deepEqual([...ledger.owned().keys()], [A]);
  assert.deepEqual([...(await open()).owned().keys()], [A]);
});

test('an unreadable image ledger owns no image and can be written again', async t => {
  const { path, open } = openable(t);
  for (const text of ['', '{', 'null', '{"version":2,"images":{"x":1}}']) {
    writeFileSync(path, text);
    assert.equal((await open()).owned().size, 0);
  }
  const ledger = await open();
  await ledger.settle('ghcr.io/a:1', arrived);
  await ledger.forget(A);
  assert.equal((await open()).owned().size, 0);
});

test('an image ledger entry rejected by a full disk fails no pull and is written later', async () => {
  const written: string[] = [];
  let full = true;
  const file = {
    read: async () => undefined,
    write: async (text: string) => {
      if (full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      written.push(text);
    },
  };
  const ledger = await openImageLedger({ file, clock: fakeClock(), log: silentLog });
  await ledger.intend('ghcr.io/a:1', undefined);
  await ledger.settle('ghcr.io/a:1', arrived);
  full = false;
  await ledger.save();
  assert.match(written.join(), /ghcr\.io\/a@sha256:1/);
});

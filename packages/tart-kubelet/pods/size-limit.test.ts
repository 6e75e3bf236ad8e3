import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { folderExceeds } from './act/size-limits.ts';
import { openPodsBench, type PodsBench } from './testing/pods-bench.ts';

const KILO = Buffer.alloc(1_024, 'x');
const kilos = (count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => KILO));

const shareOf = ({ guests }: PodsBench): string =>
  guests.started.at(-1)?.shares.find(({ name }) => name === 'out')?.path ?? '';

async function openWithLimit(sizeLimit: string): Promise<PodsBench> {
  const bench = await openPodsBench();
  await bench.create('one', { volumes: [{ name: 'out', emptyDir: { sizeLimit } }] });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  return bench;
}

test('a Pod whose emptyDir exceeds its sizeLimit is evicted with the message of a kubelet', async () => {
  await using bench = await openWithLimit('64Ki');
  writeFileSync(path.join(shareOf(bench), 'little'), kilos(32));
  await bench.advance(seconds(30));
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  mkdirSync(path.join(shareOf(bench), 'deeper'));
  writeFileSync(path.join(shareOf(bench), 'deeper', 'much'), kilos(64));
  await bench.until(async () => {
    await bench.advance(seconds(30));
    return (await bench.phase('one')) === 'Failed';
  });
  const { status } = (await bench.get('one')) ?? {};
  assert.deepEqual(
    [status?.reason, status?.message],
    ['Evicted', 'Usage of EmptyDir volume "out" exceeds the limit "64Ki".'],
  );
  assert.ok(bench.reasons().includes('Evicted'));
  assert.equal(bench.guests.started.length, 1, 'and not run again');
});

test('a restarted agent enforces the sizeLimit of a recovered guest, and 0 means no limit', async () => {
  await using limited = await openWithLimit('1Ki');
  await using unlimited = await openWithLimit('0');
  writeFileSync(path.join(shareOf(limited), 'much'), kilos(64));
  writeFileSync(path.join(shareOf(unlimited), 'much'), kilos(64));
  await limited.restart();
  for (const [bench, phase] of [
    [limited, 'Failed'],
    [unlimited, 'Running'],
  ] as const) {
    await bench.until(async () => {
      await bench.advance(seconds(30));
      return (await bench.phase('one')) === phase;
    });
  }
});

test('the size of an emptyDir ignores symlinks, holes, hard links and missing folders', async context => {
  const folder = mkdtempSync(path.join(tmpdir(), 'measured-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string): string => path.join(folder, name);
  symlinkSync('/', at('root'));
  execFileSync('mkfifo', [at('fifo')]);
  writeFileSync(at('hole'), '');
  truncateSync(at('hole'), 1_000_000_000);
  writeFileSync(at('file'), kilos(100));
  for (const name of ['second', 'third', 'fourth']) linkSync(at('file'), at(name));
  assert.equal(await folderExceeds(folder, 200 * 1_024), false);
  assert.equal(await folderExceeds(folder, 50 * 1_024), true);
  assert.equal(await folderExceeds(at('missing'), 0), false);
});

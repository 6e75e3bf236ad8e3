import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { type CriLog, openCriLog } from './cri-log.ts';

function makeLog(context: { after(clean: () => void): void }, maxBytes?: number): { log: CriLog; path: string } {
  const directory = mkdtempSync(join(tmpdir(), 'log-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'pods', '0.log');
  return { path, log: openCriLog({ path, clock: fakeClock(), ...(maxBytes === undefined ? {} : { maxBytes }) }) };
}

const STAMP = '2030-01-01T00:00:00.000000000Z';

test('CRI log lines have time, stream and tag, however the output is chunked', context => {
  const { log, path } = makeLog(context);
  log.write('stdout', Buffer.from('hel'));
  log.write('stderr', Buffer.from('oops\n\n'));
  log.write('stdout', Buffer.from('lo\nwor'));
  log.write('stdout', Buffer.from('ld\nend'));
  log.close();
  assert.equal(
    readFileSync(path, 'utf8'),
    ['stderr F oops', 'stderr F ', 'stdout F hello', 'stdout F world', 'stdout F end']
      .map(line => `${STAMP} ${line}\n`)
      .join(''),
  );
});

test('a CRI log line longer than 16 KiB is written in parts', context => {
  const { log, path } = makeLog(context);
  log.write('stdout', Buffer.from('x'.repeat(40_000)));
  log.write('stdout', Buffer.from(`\nshort\n${'y'.repeat(20_000)}\n`));
  log.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const shape = lines.map(line => `${line.split(' ')[2]}${line.split(' ')[3]?.length}`);
  assert.deepEqual(shape, ['P16384', 'P16384', 'F7232', 'F5', 'P16384', 'F3616']);
});

test('the CRI log keeps the bytes of a guest unchanged, including escapes and invalid UTF-8', context => {
  const { log, path } = makeLog(context);
  const bytes = Buffer.from([0x1b, 0x5b, 0x32, 0x4a, 0xff, 0xfe, 0xc3, 0x28, 0x00, 0x0a]);
  log.write('stdout', bytes);
  log.close();
  assert.deepEqual(readFileSync(path).subarray(`${STAMP} stdout F `.length), bytes);
});

test('the CRI log is rotated at its size limit and keeps one old file', context => {
  const { log, path } = makeLog(context, 10_000);
  for (let line = 0; line < 1_000; line++) log.write('stdout', Buffer.from(`${line}\n`));
  log.close();
  assert.ok(statSync(path).size < 10_100);
  assert.ok(statSync(`${path}.1`).size < 10_100);
  assert.match(readFileSync(path, 'utf8'), / 999\n$/);
});

test('the CRI log drops lines while its file cannot be written, and resumes afterwards', context => {
  const { log, path } = makeLog(context);
  mkdirSync(path);
  log.write('stdout', Buffer.from('lost\n'));
  rmSync(path, { recursive: true });
  log.write('stdout', Buffer.from('kept\n'));
  log.close();
  assert.equal(readFileSync(path, 'utf8'), `${STAMP} stdout F kept\n`);
});

test('the CRI log writes a million short lines within three seconds', context => {
  const { log } = makeLog(context, 1_000_000_000);
  const chunk = Buffer.from('a line of the length a build prints, more or less\n'.repeat(1_000));
  const began = performance.now();
  for (let round = 0; round < 1_000; round++) log.write('stdout', chunk);
  log.close();
  const elapsed = performance.now() - began;
  assert.ok(elapsed < 3_000, `${elapsed} ms`);
});

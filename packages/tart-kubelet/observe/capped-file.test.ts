import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openCappedFile } from './capped-file.ts';

function directoryOf(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'log-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('a full log file is rotated, the oldest one is deleted, and no line is split', t => {
  const path = join(directoryOf(t), 'logs', 'agent.log');
  const file = openCappedFile({ path, mostBytes: 100, earlier: 2 });
  for (let number = 0; number < 100; number++) file.write(`line ${String(number).padStart(3, '0')}\n`);
  file.close();
  assert.deepEqual(readdirSync(join(path, '..')).toSorted(), ['agent.log', 'agent.log.1', 'agent.log.2']);
  const all = ['.2', '.1', ''].map(end => readFileSync(`${path}${end}`, 'utf8')).join('');
  assert.match(all, /^(line \d{3}\n)+$/);
  assert.match(all, /line 099\n$/);
  for (const end of ['', '.1', '.2']) assert.ok(statSync(`${path}${end}`).size <= 100);
  assert.equal(file.lost, 0);
});

test('a reopened log file keeps its size limit', t => {
  const path = join(directoryOf(t), 'agent.log');
  writeFileSync(path, 'x'.repeat(95));
  const file = openCappedFile({ path, mostBytes: 100, earlier: 1 });
  file.write('longer than five\n');
  file.close();
  assert.equal(readFileSync(path, 'utf8'), 'longer than five\n');
  assert.equal(readFileSync(`${path}.1`, 'utf8').length, 95);
});

test('a log without rotated files is truncated when full, and a line above the limit is still written', t => {
  const path = join(directoryOf(t), 'agent.log');
  const file = openCappedFile({ path, mostBytes: 10, earlier: 0 });
  file.write('a line\n');
  file.write('a line longer than the cap\n');
  file.close();
  assert.equal(readFileSync(path, 'utf8'), 'a line longer than the cap\n');
  assert.equal(existsSync(`${path}.1`), false);
});

test('a log line that cannot be written is counted and does not throw', t => {
  const file = openCappedFile({ path: join(directoryOf(t), '\0'), mostBytes: 10, earlier: 1 });
  file.write('lost\n');
  assert.equal(file.lost, 1);
});

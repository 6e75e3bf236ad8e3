import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDurably, makeDirectoryDurably, writeDurably } from './write-durably.ts';

function makeDirectory(context: { after(clean: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'durable-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('writeDurably replaces a file atomically, with mode 0600 and no temporary file left', async context => {
  const directory = makeDirectory(context);
  const moments: string[] = [];
  const path = join(directory, 'record.json');
  await writeDurably(path, 'old');
  await writeDurably(path, 'new', { onDurableWrite: (moment, file) => moments.push(`${moment} ${file}`) });
  assert.equal(readFileSync(path, 'utf8'), 'new');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(directory), ['record.json']);
  assert.deepEqual(moments, ['before record.json', 'after record.json']);
});

test('a failed durable write keeps the old file', async context => {
  const directory = makeDirectory(context);
  const path = join(directory, 'file');
  mkdirSync(join(path, 'in the way'), { recursive: true });
  await assert.rejects(writeDurably(path, 'new'));
  assert.deepEqual(readdirSync(directory), ['file']);
});

test('exactly one of many concurrent createDurably calls succeeds', async context => {
  const path = join(makeDirectory(context), 'run.json');
  const created = await Promise.all(Array.from({ length: 5 }, (_, index) => createDurably(path, `${index}`)));
  assert.equal(created.filter(Boolean).length, 1);
  assert.equal(await createDurably(path, 'late'), false);
});

test('makeDirectoryDurably creates parents and is idempotent', async context => {
  const path = join(makeDirectory(context), 'a', 'b', 'c');
  await makeDirectoryDurably(path);
  await makeDirectoryDurably(path);
  assert.equal(statSync(path).mode & 0o777, 0o700);
});

import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { listLogFiles, openLogFile } from './log-files.ts';

async function rotatedLog(t: TestContext) {
  const folder = await mkdtemp(path.join(tmpdir(), 'minifleet-log-files-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, '0.log');
  let rotations = 0;
  /** Rotates the log: new lines go to a new file, and the previous one becomes a rotated file. */
  const rotate = async (): Promise<void> => {
    rotations += 1;
    await rename(file, `${file}.r${rotations}`);
    await appendFile(file, `after rotation ${rotations}`);
  };
  await appendFile(file, 'first');
  await rotate();
  return { file, rotate };
}

test('a rotation between listing names and reading files hides no log file', async t => {
  const { file, rotate } = await rotatedLog(t);
  let looks = 0;
  const files = await listLogFiles(file, async folder => {
    const names = await readdir(folder);
    looks += 1;
    if (looks === 1) await rotate();
    return names;
  });
  const texts = await Promise.all(files.map(one => readFile(one.path, 'utf8')));
  assert.deepEqual(texts, ['first', 'after rotation 1', 'after rotation 2']);
});

test('a log file replaced under its name is not opened in its place', async t => {
  const { file, rotate } = await rotatedLog(t);
  const current = (await listLogFiles(file)).at(-1);
  assert.ok(current);
  await rotate();
  assert.equal(await openLogFile(current), undefined);
});

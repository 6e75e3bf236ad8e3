import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import type { GuestSpec } from './guest.ts';
import { quarantine, readExit, readRecord, writeExit, writeRecord } from './record.ts';

const spec: GuestSpec = {
  id: { uid: '0f6e1c5e-3a55-4b1d-9c0e-0123456789ab', attempt: 0 },
  pod: 'default/web',
  image: 'ghcr.io/acme/macos@sha256:00',
  shares: [{ name: 'env', path: '/state/env', readOnly: true }],
  freshIdentity: true,
  process: { argv: ['true'], environmentFile: undefined, workingDirectory: '/tmp' },
  logFile: '/logs/0.log',
  bootWithin: seconds(90),
};
const exit = { exitCode: 7, reason: 'Error', message: 'words', startedAt: 1, finishedAt: 2 };

function makeDirectory(context: { after(clean: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'record-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('a guest record and its exit are read back as they were written', async context => {
  const directory = makeDirectory(context);
  const tart = { path: '/opt/homebrew/bin/tart', home: '/Users/admin/.tart' };
  await writeRecord(directory, { spec, tart });
  await writeExit(directory, exit);
  const record = await readRecord(directory);
  assert.ok(record.found === 'whole');
  assert.equal(record.value.spec.image, spec.image);
  assert.deepEqual(record.value.tart, tart);
  assert.deepEqual(await readExit(directory), { found: 'whole', value: exit });
});

test('a missing guest record is not reported as corrupt', async context => {
  assert.deepEqual(await readRecord(makeDirectory(context)), { found: 'missing' });
});

for (const [what, text] of [
  ['empty', ''],
  ['cut off', '{"version": 1, "spec": {"id"'],
  ['of another version', '{"version": 2, "spec": {}}'],
  ['without its fields', '{"version": 1, "spec": {"id": {}}}'],
  ['no object', '[]'],
] as const) {
  test(`a guest record that is ${what} is corrupt and can be quarantined`, async context => {
    const directory = makeDirectory(context);
    writeFileSync(join(directory, 'record.json'), text);
    assert.equal((await readRecord(directory)).found, 'corrupt');
    await quarantine(directory, 'record.json', 5);
    assert.deepEqual(readdirSync(directory), ['record.json.corrupt-5']);
  });
}

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { memoryId } from '@minifleet/vendors/testing';
import { addressFrom } from './ssh-address-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'minifleet-ssh-address-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'addresses.json');
const HOST = memoryId(1);
const written = (text: string) => {
  writeFileSync(file, text);
  return () => addressFrom(file)(HOST);
};

test('a host without an entry in the file keeps its own address; the file is read each time', () => {
  assert.equal(addressFrom(undefined)(HOST), undefined);
  const address = written('{}');
  assert.equal(address(), undefined);
  writeFileSync(file, JSON.stringify({ [HOST]: '127.0.0.1:40022' }));
  assert.deepEqual(address(), { address: '127.0.0.1', port: 40_022 });
  writeFileSync(file, JSON.stringify({ [HOST]: '[2001:db8::7]:22' }));
  assert.deepEqual(address(), { address: '2001:db8::7', port: 22 });
});

test('an SSH address file or entry that cannot be parsed is reported with its name', () => {
  assert.throws(written('no JSON'), /--ssh-address-file .*addresses\.json cannot be read/);
  assert.throws(written(JSON.stringify({ [HOST]: 'somewhere' })), /somewhere in .* is not <address>:<port>/);
});

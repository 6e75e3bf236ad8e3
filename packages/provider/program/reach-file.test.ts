import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { memoryServer } from '@minifleet/vendors/testing';
import { reachBy } from './reach-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'minifleet-reach-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'addresses.json');
const server = { ...memoryServer(1), address: '192.0.2.7' };
const written = (text: string) => {
  writeFileSync(file, text);
  return () => reachBy(file)(server);
};

test('a host is dialled at its vendor address unless the file overrides it, which is re-read each time', () => {
  assert.deepEqual(reachBy(undefined)(server), { address: '192.0.2.7', port: 22 });
  const reach = written('{}');
  assert.deepEqual(reach(), { address: '192.0.2.7', port: 22 });
  writeFileSync(file, JSON.stringify({ [server.id]: '127.0.0.1:40022' }));
  assert.deepEqual(reach(), { address: '127.0.0.1', port: 40_022 });
  writeFileSync(file, JSON.stringify({ [server.id]: '[2001:db8::7]:22' }));
  assert.deepEqual(reach(), { address: '2001:db8::7', port: 22 });
});

test('a file that cannot be read, or an entry that is no address, is named', () => {
  assert.throws(written('no JSON'), /--ssh-address-file .*addresses\.json cannot be read/);
  assert.throws(written(JSON.stringify({ [server.id]: 'somewhere' })), /somewhere in .* is not <address>:<port>/);
});

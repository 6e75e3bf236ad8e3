import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialectOf, versionLine } from './rfb.ts';

test('of every version the newest dialect both know is spoken', () => {
  const spoken = (version: string): number | undefined => dialectOf(Buffer.from(`RFB ${version}\n`));
  const versions = ['003.003', '003.005', '003.007', '003.008', '003.889', '004.001'];
  assert.deepEqual(versions.map(spoken), [3, 3, 7, 8, 8, 8]);
  for (const dialect of [3, 7, 8] as const) assert.equal(dialectOf(Buffer.from(versionLine(dialect))), dialect);
});

test('what is no version of RFB is none', () => {
  for (const line of ['RFB 003.002\n', 'RFB 002.008\n', 'RFB 3.8    \n', 'HTTP/1.1 400', 'SSH-2.0-Open']) {
    assert.equal(dialectOf(Buffer.from(line)), undefined, line);
  }
});

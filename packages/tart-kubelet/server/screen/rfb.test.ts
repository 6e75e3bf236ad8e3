import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rfbVersionOf, versionLine } from './rfb.ts';

test('the newest RFB version that both sides support is used', () => {
  const spoken = (version: string): number | undefined => rfbVersionOf(Buffer.from(`RFB ${version}\n`));
  const versions = ['003.003', '003.005', '003.007', '003.008', '003.889', '004.001'];
  assert.deepEqual(versions.map(spoken), [3, 3, 7, 8, 8, 8]);
  for (const version of [3, 7, 8] as const) assert.equal(rfbVersionOf(Buffer.from(versionLine(version))), version);
});

test('a line that is no RFB version is rejected', () => {
  for (const line of ['RFB 003.002\n', 'RFB 002.008\n', 'RFB 3.8    \n', 'HTTP/1.1 400', 'SSH-2.0-Open']) {
    assert.equal(rfbVersionOf(Buffer.from(line)), undefined, line);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeImageStore } from './judge-image-store.ts';

test('the image store is healthy while it can be read and has room', () => {
  const space = (freeBytes: number) => ({ totalBytes: 100, freeBytes });
  assert.equal(judgeImageStore(true, space(6)).status, 'True');
  assert.deepEqual(judgeImageStore(true, space(5)).reason, 'OutOfSpace');
  assert.deepEqual(judgeImageStore(false, space(90)).reason, 'ImagesUnreadable');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseShare } from './guest-files.ts';

test('--dir is parsed as [name:]path[:options]', () => {
  const share = { name: undefined, path: '/a', readOnly: false, tag: undefined };
  assert.deepEqual(parseShare('/a', '/home'), share);
  assert.deepEqual(parseShare('env:/a:ro', '/home'), { ...share, name: 'env', readOnly: true });
  assert.deepEqual(parseShare('~/a:ro,tag=x', '/home'), { ...share, path: '/home/a', readOnly: true, tag: 'x' });
});

test('an unknown option of --dir is part of the path', () => {
  assert.equal(parseShare('env:/a:rw', '/home').path, '/a:rw');
});

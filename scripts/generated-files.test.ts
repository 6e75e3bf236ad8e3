import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generatedFiles } from './generated-files.ts';

test('every generated file is up to date with its definition', () => {
  const stale = [...generatedFiles()].filter(
    ([path, content]) => !existsSync(path) || readFileSync(path, 'utf8') !== content,
  );
  assert.deepEqual(
    stale.map(([path]) => path),
    [],
    'run: npm run generate',
  );
});

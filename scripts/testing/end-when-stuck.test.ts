import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTestFile } from './run-test-file.ts';

const impatient = `import { endWhenStuck } from '${import.meta.resolve('./end-when-stuck.ts')}'; endWhenStuck(100);`;

test('a test file that leaves something open is ended and fails by its name', context => {
  const text = `import { test } from 'node:test'; test('fine', () => void setInterval(() => {}, 1_000));`;
  const flags = ['--test-reporter=spec', '--import', `data:text/javascript,${encodeURIComponent(impatient)}`];
  const { status, stdout, error } = runTestFile(context, { name: 'leaves-a-loop.test.mjs', text, flags });
  assert.equal(error, undefined);
  assert.equal(status, 1);
  assert.match(stdout, /leaves-a-loop\.test\.mjs are over, but it does not end; still open: .*Timeout/);
  assert.match(stdout, /✖ .*leaves-a-loop\.test\.mjs/);
});

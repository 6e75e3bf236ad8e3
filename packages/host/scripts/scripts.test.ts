import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';

const scripts = globSync('*.sh', { cwd: import.meta.dirname })
  .sort()
  .map(file => ({ name: basename(file, '.sh'), text: readFileSync(`${import.meta.dirname}/${file}`, 'utf8') }));

/** The script without comments, empty lines and function definitions. */
const deedsOf = (text: string): string[] =>
  text
    .replace(/^\w+\(\) \{(.*\}|\n[\s\S]*?^\})\n/gm, '')
    .split('\n')
    .filter(line => line.trim() !== '' && !line.trim().startsWith('#'));

for (const { name, text } of scripts) {
  const deeds = deedsOf(text);

  test(`${name}.sh starts with its usage`, () => {
    // Scripts that are installed on the host start with a shebang.
    const [first = ''] = text.replace(/^#!.*\n/, '').split('\n');
    assert.match(first, /^# \S/);
    if (deeds.length > 0) assert.match(first, new RegExp(`^# (minifleet-)?${name}\\b`));
  });

  test(`${name}.sh stops at the first failure and the first unset variable`, () => {
    const test = deeds.length === 1 && deeds[0]?.startsWith('[ ');
    if (deeds.length > 0 && !test) assert.equal(deeds[0], 'set -eu');
    assert.doesNotMatch(text, /\|\| (true|:)\s*$/m);
  });

  test(`${name}.sh parses`, () => {
    const { status, stderr } = spawnSync('/bin/sh', ['-n'], { input: text, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
}

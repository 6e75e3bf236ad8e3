import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BEGIN, END, exportDifferences, exportIn, exportLine, withExport, withoutExport } from './build-cache.ts';

const desired = { variable: 'TUIST_MIX_BUILD_ROOT', directory: '/opt/tuist-build-cache' };
const block = `${BEGIN}\nexport TUIST_MIX_BUILD_ROOT=/opt/tuist-build-cache\n${END}\n`;

const others = ['', '# theirs\n', 'export PATH=/x:$PATH', 'a\n\n\tb\r\n  \n', '# TUIST_MIX_BUILD_ROOT is set below\n'];

test('foreign lines in /etc/zshenv are preserved by setup and removal', () => {
  for (const text of others) {
    const after = withExport(text, desired);
    assert.equal(after, block + text);
    assert.deepEqual(exportDifferences(after, desired), []);
    assert.equal(withExport(after, desired), after);
    assert.equal(withoutExport(after, desired.variable), text);
  }
});

test('a moved block in /etc/zshenv stays in place', () => {
  const text = `first\n${block}last`;
  assert.equal(withExport(text, desired), text);
  assert.equal(withoutExport(text, desired.variable), 'first\nlast');
});

test('every older form in /etc/zshenv is reported and removed', () => {
  const damaged: [string, string][] = [
    [`${block}theirs\n${block}`, '/etc/zshenv contains the block 2 times, expected once'],
    ['theirs\nexport TUIST_MIX_BUILD_ROOT=/tmp/old\n', '/etc/zshenv sets TUIST_MIX_BUILD_ROOT once outside the block'],
    ['theirs\n  TUIST_MIX_BUILD_ROOT=/tmp', '/etc/zshenv sets TUIST_MIX_BUILD_ROOT once outside the block'],
    [`theirs\n${BEGIN}\n`, '/etc/zshenv contains half a block'],
    [`${END}\n${block}theirs\n`, '/etc/zshenv contains half a block'],
    [
      `${BEGIN}\nexport TUIST_MIX_BUILD_ROOT=/elsewhere\n${END}\ntheirs\n`,
      'the block in /etc/zshenv is not export TUIST_MIX_BUILD_ROOT=/opt/tuist-build-cache',
    ],
    ['theirs\n', '/etc/zshenv contains the block 0 times, expected once'],
  ];
  for (const [text, words] of damaged) {
    assert.ok(exportDifferences(text, desired).includes(words), text);
    assert.equal(withExport(text, desired), `${block}theirs\n`);
  }
});

test('removing half a block keeps the lines after it', () => {
  assert.equal(withoutExport(`${BEGIN}\nexport PATH=/theirs\n`, desired.variable), 'export PATH=/theirs\n');
});

test('a variable with the same suffix is not touched', () => {
  const text = 'export MY_TUIST_MIX_BUILD_ROOT=/x\nexport TUIST_MIX_BUILD_ROOTS=/y\n';
  assert.equal(withExport(text, desired), block + text);
});

test('a directory with a space or a quote round-trips through zsh', () => {
  const odd = { variable: 'CACHE', directory: '/opt/a b' };
  assert.equal(exportLine(odd), "export CACHE='/opt/a b'");
  assert.deepEqual(exportIn(withExport('', odd)), odd);
  assert.equal(exportIn('nothing of ours\n'), undefined);
});

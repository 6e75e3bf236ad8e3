import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandLine } from '../testing/command-line.ts';

const run = commandLine();
const complete = async (...words: readonly string[]): Promise<string[]> =>
  (await run('__complete', '--', ...words)).output.split('\n').filter(Boolean);

describe('completion', () => {
  const table: readonly (readonly [readonly string[], readonly string[]])[] = [
    [['de'], ['detach']],
    [['host', 'in'], ['inspect']],
    [
      ['get', 'ho'],
      ['hosts', 'host'],
    ],
    [
      ['get', 'hosts', '-o', ''],
      ['wide', 'json', 'yaml', 'name'],
    ],
    [['get', 'hosts', '--all'], ['--all-namespaces']],
    [['get', 'hosts', '--un'], ['--unmanaged']],
    [
      ['get', '-n', 'fleet', 'gu'],
      ['guests', 'guest'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['get', 'hosts', '--kubeconfig', ''], []],
    [['__c'], []],
  ];
  for (const [words, expected] of table) {
    test(`completion of "${words.join(' ')}"`, async () => assert.deepEqual(await complete(...words), expected));
  }

  test('--help does not list the hidden __complete command', async () => {
    assert.doesNotMatch((await run('--help')).output, /__complete/);
  });

  test('the completion script works in bash', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'minifleet-completion-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const main = fileURLToPath(new URL('../minifleet.js', import.meta.url));
    writeFileSync(join(folder, 'minifleet'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
    writeFileSync(join(folder, 'completion.bash'), (await run('completion', 'bash')).output);
    const script = `source '${folder}/completion.bash'; COMP_WORDS=(minifleet get hosts -o ya); COMP_CWORD=4; _minifleet; echo "\${COMPREPLY[@]}"`;
    const path = [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
    const env = { PATH: path, HOME: folder };
    assert.equal(execFileSync('bash', ['-c', script], { env, encoding: 'utf8' }), 'yaml\n');
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { runCli } from './cli.ts';

async function run(...argv: readonly string[]): Promise<{ code: number; output: string; errors: string }> {
  let output = '';
  let errors = '';
  const code = await runCli(argv, {
    clock: fakeClock(),
    output: { write: text => (output += text) },
    errors: { write: text => (errors += text) },
    signal: new AbortController().signal,
  });
  return { code, output, errors };
}

describe('minifleet', () => {
  test('--help lists the commands and is no failure', async () => {
    const { code, output } = await run('--help');
    assert.equal(code, 0);
    assert.match(output, /up +start a local Kubernetes/);
  });

  test('a command that does not exist is a usage error that names the next step', async () => {
    const { code, errors } = await run('upp');
    assert.equal(code, 2);
    assert.match(errors, /unknown command 'upp'/);
    assert.match(errors, /Run 'minifleet --help' for the commands\./);
  });

  test('no command at all shows the help and is a usage error', async () => {
    const { code, errors } = await run();
    assert.equal(code, 2);
    assert.match(errors, /Usage: minifleet/);
  });
});

describe('minifleet world start', () => {
  test('a number of hosts that is none is refused with an example', async () => {
    const { code, errors } = await run('world', 'start', '--hosts', 'many');
    assert.equal(code, 2);
    assert.match(errors, /write a whole number, for example 12/);
  });

  test('an output format that does not exist is refused with those that do', async () => {
    const { code, errors } = await run('world', 'start', '-o', 'xml');
    assert.equal(code, 2);
    assert.match(errors, /Allowed choices are text, json/);
  });
});

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

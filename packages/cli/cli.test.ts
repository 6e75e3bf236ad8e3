import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandLine } from './testing/command-line.ts';

const run = commandLine();

describe('minifleet', () => {
  test('--help lists the commands and is no failure', async () => {
    const { code, output } = await run('--help');
    assert.equal(code, 0);
    assert.match(output, /up \[options\] +start a local Kubernetes/);
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

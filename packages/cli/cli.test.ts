import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandLine } from './testing/command-line.ts';

const run = commandLine();

describe('minifleet', () => {
  test('--help lists the operator’s commands, without the development commands, and exits with 0', async () => {
    const { code, output } = await run('--help');
    assert.equal(code, 0);
    assert.match(output, /^ {2}get \[options\] <kind> \[name\] /m);
    assert.doesNotMatch(output, /Development:|^ {2}(up|down|env|break|mend|world)\b/m);
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

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import packageFile from './package.json' with { type: 'json' };
import { commandLine } from './testing/command-line.ts';

const run = commandLine();

describe('minifleet', () => {
  test('--help lists the operator’s commands without the development commands', async () => {
    const { code, output } = await run('--help');
    assert.equal(code, 0);
    assert.match(output, /^ {2}get \[options\] <kind> \[name\] /m);
    assert.doesNotMatch(output, /Development:|^ {2}(up|down|env|break|mend|world)\b/m);
  });

  test('--version prints the version of the package and exits with 0', async () => {
    assert.deepEqual(await run('--version'), { code: 0, output: `${packageFile.version}\n`, errors: '' });
  });

  test('--help of detach and unstick pods prints default durations with their unit', async () => {
    assert.match((await run('detach', '--help')).output, /\(default: 30m\)/);
    assert.match((await run('unstick', 'pods', '--help')).output, /\(default: 10m\)/);
  });

  test('an unknown command is a usage error that names minifleet --help', async () => {
    const { code, errors } = await run('upp');
    assert.equal(code, 2);
    assert.match(errors, /unknown command 'upp'/);
    assert.match(errors, /Run 'minifleet --help' for usage\./);
  });

  test('no command is a usage error and prints the help', async () => {
    const { code, errors } = await run();
    assert.equal(code, 2);
    assert.match(errors, /Usage: minifleet/);
  });
});

import assert from 'node:assert/strict';
import type { Bench } from './contract-host.ts';
import { NASTY_ARGUMENTS } from './nasty-arguments.ts';
import { ran } from './ran.ts';
import { test } from './test.ts';

export function argumentsContract(bench: Bench): void {
  for (const argument of NASTY_ARGUMENTS) {
    test(`an argument arrives unchanged: ${JSON.stringify(argument).slice(0, 40)}`, async () => {
      const { stdout } = await ran(bench().transport, ['/usr/bin/printf', '%s', argument]);
      assert.equal(stdout.toString(), argument);
    });
  }

  test('many special arguments arrive as separate arguments', async () => {
    const { stdout } = await ran(bench().transport, ['/usr/bin/printf', '[%s]\\n', ...NASTY_ARGUMENTS]);
    assert.equal(stdout.toString(), NASTY_ARGUMENTS.map(argument => `[${argument}]\n`).join(''));
  });
}

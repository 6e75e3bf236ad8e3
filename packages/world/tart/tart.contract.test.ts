import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isBriefCommand, runBriefCommand } from './brief-command.ts';
import { makeTart, type SimulatedTart, type TartUnderTest, tartAt } from './testing/make-tart.ts';
import { tartContract } from './testing/tart-contract.ts';

/** On a Mac, TART names the real executable, and the same list runs against it. */
const real = process.env['TART'];

for (const behaviour of tartContract) {
  test(`tart: ${behaviour.name}`, async context => {
    if (real === undefined) {
      const tart = makeTart();
      context.after(() => tart.cleanUp());
      await behaviour.check(tart);
      return;
    }
    const home = mkdtempSync(join(tmpdir(), 'tart-contract-'));
    const tart = tartAt(real, home);
    context.after(async () => {
      await tart.endAll();
      rmSync(home, { recursive: true, force: true });
    });
    await behaviour.check(tart);
  });
}

/** Simulated Macs run brief commands in their own process. */
const withBriefCommandsHere = (tart: SimulatedTart): TartUnderTest => ({
  ...tart,
  async call(argv, options) {
    if (!isBriefCommand(argv, {})) return tart.call(argv, options);
    let [stdout, stderr] = ['', ''];
    const code = await runBriefCommand({
      argv,
      environment: { HOME: tart.home, TART_HOME: tart.home, TART_WORLD: tart.world, ...options?.environment },
      out: text => (stdout += text),
      err: text => (stderr += text),
    });
    return { code, signal: null, stdout, stderr };
  },
});

for (const behaviour of tartContract) {
  test(`tart, with brief commands in the calling process: ${behaviour.name}`, async context => {
    const tart = makeTart();
    context.after(() => tart.cleanUp());
    await behaviour.check(withBriefCommandsHere(tart));
  });
}

test('a command with an injected fault is not brief, because it can hang and be killed', () => {
  const hang = { kind: 'command', matches: 'list', fault: { type: 'hang' } } as const;
  assert.equal(isBriefCommand(['list'], {}), true);
  assert.equal(isBriefCommand(['list'], { faults: [hang] }), false);
  assert.equal(isBriefCommand(['pull', 'ghcr.io/tuist/macos:latest'], {}), false);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTart, tartAt } from './testing/make-tart.ts';
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

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { consoleBlocks, matchesPage } from '../docs/testing/console-blocks.ts';
import { openShell } from './testing/open-shell.ts';

const page = readFileSync(new URL('../docs/onboarding.md', import.meta.url), 'utf8');

describe('docs/onboarding.md, followed to the letter in one shell', () => {
  const shell = openShell();
  after(() => shell.close('minifleet down'));
  let well = true;

  for (const { command, prints } of consoleBlocks(page)) {
    test(command, async () => {
      assert.ok(well, 'what stands before it did not go as shown');
      well = false;
      const { code, printed } = await shell.run(command);
      assert.equal(code, 0, printed);
      assert.ok(matchesPage(printed, prints), `it printed:\n${printed}\nand the page shows:\n${prints.join('\n')}`);
      well = true;
    });
  }
});

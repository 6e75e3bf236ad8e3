import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { consoleBlocks, matchesPage } from '../docs/testing/console-blocks.ts';
import { openShell } from './testing/open-shell.ts';

const page = readFileSync(new URL('../docs/onboarding.md', import.meta.url), 'utf8');

describe('docs/onboarding.md in one shell', () => {
  const shell = openShell();
  after(() => shell.close('minifleet down'));
  let passed = true;

  for (const { command, prints } of consoleBlocks(page)) {
    test(`docs/onboarding.md: ${command}`, async () => {
      assert.ok(passed, 'an earlier command of the page failed');
      passed = false;
      const { code, printed } = await shell.run(command);
      assert.equal(code, 0, printed);
      assert.ok(matchesPage(printed, prints), `output:\n${printed}\nexpected from the page:\n${prints.join('\n')}`);
      passed = true;
    });
  }
});

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { devCommandLine } from '@minifleet/dev/testing/dev-command-line';
import { providerFlags } from '@minifleet/provider/testing/program';
import { runnersFlags } from '@minifleet/runners/testing/program';
import { unknownCommands } from '../testing/minifleet-commands.ts';

const folder = new URL('./', import.meta.url);
const pages = globSync('*.md', { cwd: folder }).map(name => ({
  name,
  text: readFileSync(new URL(name, folder), 'utf8'),
}));
const run = devCommandLine();

const KUBECTL_FLAGS = ['--force'];
const isProgramFlag = (flag: string): boolean => [providerFlags, runnersFlags].some(({ help }) => help.includes(flag));

describe('runbooks', () => {
  for (const { name, text } of pages) {
    test(`${name} names commands and options that exist`, async () => {
      assert.deepEqual(await unknownCommands(text, run), []);
    });

    test(`${name} links to pages that exist and names flags that exist`, () => {
      const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
      assert.deepEqual(
        links.filter(link => !pages.some(page => page.name === link)),
        [],
      );
      const flags = [...text.matchAll(/`(--[a-z][a-z-]+)`/g)].map(([, flag = '']) => flag);
      assert.deepEqual(
        flags.filter(flag => !isProgramFlag(flag) && !KUBECTL_FLAGS.includes(flag)),
        [],
      );
    });
  }
});

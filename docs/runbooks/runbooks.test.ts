import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { devCommandLine } from '@minifleet/dev/testing/dev-command-line';
import { providerFlags } from '@minifleet/provider/testing/program';
import { runnersFlags } from '@minifleet/runners/testing/program';

const folder = new URL('./', import.meta.url);
const pages = globSync('*.md', { cwd: folder }).map(name => ({
  name,
  text: readFileSync(new URL(name, folder), 'utf8'),
}));
const run = devCommandLine();

/** Parses commands: `minifleet host doctor <address> -f x` is `host doctor` with the option `-f`. */
function commandsIn(text: string): { readonly words: readonly string[]; readonly options: readonly string[] }[] {
  return [...text.matchAll(/(?:^|`)minifleet ([^`#\n]+)/gm)].map(([, line = '']) => ({
    words: (/^([a-z-]+ ?)+/.exec(line)?.[0] ?? '').split(' ').filter(word => /^[a-z]/.test(word)),
    options: line.split(' ').filter(part => part.startsWith('-')),
  }));
}

const KUBECTL_FLAGS = ['--force'];
const isProgramFlag = (flag: string): boolean => [providerFlags, runnersFlags].some(({ help }) => help.includes(flag));

describe('runbooks', () => {
  for (const { name, text } of pages) {
    test(`${name} names commands and options that exist`, async () => {
      for (const { words, options } of commandsIn(text)) {
        const { code, output } = await run(...words, '--help');
        assert.equal(code, 0, `minifleet ${words.join(' ')}`);
        // The words after the command are its arguments: `get hosts`.
        const [, command = ''] = /^Usage: minifleet ((?:[a-z-]+ )+)/.exec(output) ?? [];
        assert.ok(command !== '' && `${words.join(' ')} `.startsWith(command), `minifleet ${words.join(' ')}`);
        for (const option of options) assert.ok(output.includes(option), `${words.join(' ')} ${option}`);
      }
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

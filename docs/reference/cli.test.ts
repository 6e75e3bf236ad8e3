import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { devCommandLine } from '@minifleet/dev/testing/dev-command-line';

const page = readFileSync(new URL('./cli.md', import.meta.url), 'utf8');
const run = devCommandLine();

/** Full names of the commands below these words that do something themselves, with their options. */
async function commandsBelow(
  ...words: readonly string[]
): Promise<{ readonly name: string; readonly options: string[] }[]> {
  const { output } = await run(...words, '--help');
  const [options = '', ...groups] = output.split(/\n(?:Commands|Development):\n/);
  const below = [...groups.join('\n').matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, name = '']) => name)
    .filter(name => name !== 'help');
  if (below.length > 0) return (await Promise.all(below.map(name => commandsBelow(...words, name)))).flat();
  const long = [...options.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option);
  return [{ name: words.join(' '), options: long.filter(option => option !== '--help') }];
}

test('the page of the command line has every command and every option', async () => {
  const commands = await commandsBelow();
  assert.ok(commands.length > 8);
  for (const { name, options } of commands) {
    assert.ok(page.includes(`\`minifleet ${name}`), `minifleet ${name}`);
    for (const option of options) assert.ok(page.includes(`${option}`), `minifleet ${name} ${option}`);
  }
});

test('the page of the command line invents no command', async () => {
  const commands = (await commandsBelow()).map(({ name }) => name);
  const named = [...page.matchAll(/^\| `minifleet ([a-z][a-z -]*[a-z])/gm)].map(
    ([, name = '']) => name.split(' --')[0],
  );
  assert.deepEqual(
    named.filter(name => !commands.includes(name ?? '')),
    [],
  );
});

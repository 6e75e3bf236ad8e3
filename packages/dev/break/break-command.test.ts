import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { exitCode } from '@minifleet/cli';
import { incidents } from '../incidents/incidents.ts';
import { devCommandLine } from '../testing/dev-command-line.ts';

const run = devCommandLine();

test('every incident of docs/incidents can be injected into a host or names why not', () => {
  const pages = readdirSync(new URL('../../../docs/incidents', import.meta.url)).flatMap(
    file => /^([IF]\d\d)-.*\.md$/.exec(file)?.[1] ?? [],
  );
  assert.ok(pages.includes('I01') && pages.includes('I40') && pages.includes('F04'));
  assert.deepEqual(
    incidents.map(({ id }) => id),
    pages.sort(),
  );
});

test('break rejects an incident that no host can have, and names its test', async () => {
  const { code, errors } = await run('break', 'i21');
  assert.equal(code, exitCode.usage);
  assert.match(errors, /I21: A stuck rollback affects a Helm release, not a host\. Covered by charts\//);
});

test('break without arguments lists all incidents', async () => {
  const { output } = await run('break');
  assert.match(output, /^I19 +macos,runners /m);
  assert.match(output, /^I21 +none +.* Covered by charts\/.*\n/m);
  assert.match(output, /\n\nminifleet break I19 injects one/);
});

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exitCode } from '@minifleet/cli';
import { devCommandLine } from '../testing/dev-command-line.ts';
import { breakages } from './breakages.ts';
import { notOfAHost, whyNotOfAHost } from './not-of-a-host.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const pages = readdirSync(`${ROOT}docs/incidents`).flatMap(file => /^([IF]\d\d)-.*\.md$/.exec(file)?.[1] ?? []);
const done = breakages.map(({ id }) => id);
const elsewhere = notOfAHost.map(({ id }) => id);

test('every incident of docs/incidents can be done to a host, or it is said that it happens to none', () => {
  assert.ok(pages.includes('I01') && pages.includes('I40') && pages.includes('F04'));
  assert.deepEqual(
    pages.filter(id => !done.includes(id) && !elsewhere.includes(id)),
    [],
    'neither in breakages.ts nor in not-of-a-host.ts',
  );
});

test('no incident is there twice, and none that has no page', () => {
  const all = [...done, ...elsewhere];
  assert.deepEqual(
    all.filter((id, index) => all.indexOf(id) !== index),
    [],
  );
  assert.deepEqual(
    all.filter(id => !pages.includes(id)),
    [],
  );
});

test('each says what happens and what must be seen in a line, and gives it a minute to four', () => {
  for (const { id, title, promise, within, fleets } of breakages) {
    assert.match(`${title} → ${promise}`, /^[^\n]+[^.\n]$/, id);
    assert.ok(within >= 60_000 && within <= 240_000, `${id} has ${within} ms`);
    assert.ok(fleets.length > 0, id);
  }
});

test('what happens to no host names a test that is there', () => {
  for (const { id, shownBy } of notOfAHost) {
    const [file = '', name = ''] = shownBy.split(' › ');
    assert.ok(existsSync(ROOT + file), `${id}: ${file}`);
    assert.ok(readFileSync(ROOT + file, 'utf8').includes(name.replace(`${id} `, '')), `${id}: ${name}`);
    assert.equal(whyNotOfAHost(id.toLowerCase())?.endsWith(shownBy), true);
  }
});

test('who would break a host with it is told so, whether something is up or not, and the list ends with it', async () => {
  const run = devCommandLine();
  const { code, errors } = await run('break', 'i21');
  assert.equal(code, exitCode.usage);
  assert.match(errors, /I21: .* happens to a release of the chart, and to no host\. It is shown by charts\//);
  const { output } = await run('break');
  assert.match(output, /^I19 +macos,runners /m);
  assert.match(output, /^I21 +none +.* It is shown by charts\/.*\n\nminifleet break/m);
});

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hostPlan } from '@minifleet/host';
import { fullSpec } from '@minifleet/host/testing/plan';
import { readSpecFile } from '@minifleet/spec-file';
import { recordScreens } from './record-screens.ts';
import { screensIn, withScreens } from './shown-in-page.ts';

const page = readFileSync(new URL('../hosts.md', import.meta.url), 'utf8');

test('the screens in docs match the output of the program', async () => {
  const screens = await recordScreens();
  const stale = [...screens].filter(([name, text]) => readFileSync(new URL(name, import.meta.url), 'utf8') !== text);
  const rewrite = 'run: node docs/screens/write-screens.ts';
  assert.deepEqual(
    stale.map(([name]) => name),
    [],
    rewrite,
  );
  assert.equal(withScreens(page, screens), page, rewrite);
  assert.deepEqual(screensIn(page).sort(), [...screens.keys()].sort());
});

test('docs/hosts.md lists every step in order with its maximum disturbance', () => {
  const section = page.split(/^## /m).find(part => part.startsWith('Steps')) ?? '';
  const rows = [...section.matchAll(/^\| `([\w-]+)` \|[^|]*\| ([\w ]+?)(?:,[^|]*)? \|/gm)].map(([, id, most]) => [
    id,
    most,
  ]);
  assert.deepEqual(
    rows,
    hostPlan(fullSpec).steps.map(({ id, disturbs }) => [id, disturbs]),
  );
});

test('the spec file in docs/hosts.md is valid', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-page-'));
  try {
    const text = /```yaml\n([^`]*)```/.exec(page)?.[1] ?? '';
    for (const name of ['tart.tar.gz', 'tart-kubelet', 'mini-01.kubeconfig']) writeFileSync(join(folder, name), name);
    writeFileSync(join(folder, 'mini-01.yaml'), text);
    const spec = await readSpecFile(join(folder, 'mini-01.yaml'), { name: undefined, user: 'm1', password: undefined });
    assert.equal(spec.host.name, 'mini-01');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

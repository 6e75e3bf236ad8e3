import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { consoleBlocks } from './testing/console-blocks.ts';

const page = readFileSync(new URL('your-own-cluster.md', import.meta.url), 'utf8');

test('docs/your-own-cluster.md names charts, scripts and values files of this repository', () => {
  const paths = [...page.matchAll(/(?:^|[ `])((?:charts|docs|scripts)\/[\w./-]+)/gm)].map(([, path = '']) => path);
  assert.ok(paths.length > 4);
  assert.deepEqual(
    paths.filter(path => !existsSync(new URL(`../${path}`, import.meta.url))),
    [],
  );
});

test('docs/your-own-cluster.md installs CRDs before the chart, and uninstalls the programs after what they clean up', () => {
  const commands = consoleBlocks(page).map(({ command }) => command);
  const at = (start: string): number => commands.findIndex(command => command.startsWith(start));
  const order = [
    'minifleet doctor --preflight --yes',
    'helm upgrade --install minifleet-crds ',
    'minifleet doctor --preflight --yes -f',
    'helm upgrade --install minifleet ',
    'kubectl create secret generic github-app',
    'minifleet host add',
    'kubectl wait runnerpool/',
    'helm upgrade minifleet-crds ',
    'helm upgrade minifleet ',
    'helm rollback minifleet ',
    'kubectl delete runnerpools ',
    'kubectl delete cluster ',
    'minifleet host remove ',
    'helm uninstall minifleet ',
    'helm uninstall minifleet-crds ',
    'helm template charts/minifleet-crds | kubectl delete ',
    'kubectl delete namespace ',
  ].map(at);
  assert.ok(!order.includes(-1), order.join());
  assert.deepEqual(
    order,
    order.toSorted((one, other) => one - other),
  );
});

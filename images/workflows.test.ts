import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
}

interface Job {
  readonly 'runs-on'?: readonly string[];
  readonly 'timeout-minutes'?: number;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': boolean };
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly permissions: unknown;
  readonly env?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(import.meta.dirname, 'workflows');
const texts = new Map(globSync('*.yml', { cwd: folder }).map(file => [file, readFileSync(join(folder, file), 'utf8')]));
const workflows = new Map([...texts].map(([file, text]) => [file, parse(text) as Workflow]));
const bake = workflows.get('bake-image.yml')?.jobs['bake'];
const steps = bake?.steps ?? [];
const step = (name: string): Step => steps.find(each => each.name === name) ?? assert.fail(`no step ${name}`);

test('workflows: a bake runs on bare metal, one at a time per tag, with a timeout', () => {
  assert.deepEqual(bake?.['runs-on'], ['self-hosted', 'macos', 'bare-metal', 'vm-image-builder']);
  assert.match(bake?.concurrency?.group ?? '', /inputs\.target/);
  assert.equal(bake?.concurrency?.['cancel-in-progress'], false);
  assert.ok((bake?.['timeout-minutes'] ?? 999) <= 180);
  for (const { name, 'timeout-minutes': minutes } of steps.filter(({ name }) =>
    /^(Pull|Bake|Boot|Push)/.test(name ?? ''),
  )) {
    assert.ok(minutes !== undefined && minutes < 180, name ?? '');
  }
});

test('workflows: disk space is reclaimed first, and the VM is always removed', () => {
  assert.equal(steps.find(({ run }) => run !== undefined)?.name, 'Reclaim disk');
  assert.equal(steps.at(-1)?.if, 'always()');
  assert.match(steps.at(-1)?.run ?? '', /tart delete "\$VM"/);
});

test('I25 workflows: only registry steps have credentials, in the environment, and nothing logs in', () => {
  for (const [file, { env, jobs }] of workflows) {
    assert.equal(env, undefined, file);
    for (const job of Object.values(jobs)) assert.doesNotMatch(JSON.stringify(job.env ?? {}), /secrets/);
  }
  const given = steps.filter(({ env }) => JSON.stringify(env ?? {}).includes('secrets.')).map(({ name }) => name);
  assert.deepEqual(given, ['Pull the base', 'Push']);
  const registry = {
    TART_REGISTRY_USERNAME: '${{ secrets.registry-username }}',
    TART_REGISTRY_PASSWORD: '${{ secrets.registry-password }}',
  };
  assert.deepEqual(step('Push').env, registry);
  for (const { run = '' } of steps) assert.doesNotMatch(run, /secrets\.|login/);
});

test('I26 workflows: no step installs or upgrades anything on the host', () => {
  for (const [file, text] of texts) assert.doesNotMatch(text, /\bbrew\b|softwareupdate|\bupgrade\b/, file);
});

test('workflows: no script contains an expression, so inputs are data and not code', () => {
  for (const { name, run = '' } of steps) assert.doesNotMatch(run, /\$\{\{/, name ?? '');
});

test('workflows: third-party actions are pinned by commit, because a tag can be moved', () => {
  for (const { uses } of steps.filter(({ uses }) => uses !== undefined)) assert.match(uses ?? '', /@[0-9a-f]{40}$/);
});

test('workflows: the published digest is an output and in the summary', () => {
  assert.match(step('Push').run ?? '', /image=\$published" >>"\$GITHUB_OUTPUT"[\s\S]*GITHUB_STEP_SUMMARY/);
});

test('workflows: all bakes use the shared workflow, and none may write to the repository', () => {
  for (const [file, { jobs, permissions }] of workflows) {
    assert.deepEqual(permissions, { contents: 'read' }, file);
    if (file !== 'bake-image.yml')
      assert.deepEqual(
        Object.values(jobs).map(({ uses }) => uses),
        ['./.github/workflows/bake-image.yml'],
        file,
      );
  }
});

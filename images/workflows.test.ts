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

test('a bake runs on bare metal, one at a time for a tag, and ends', () => {
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

test('disk is reclaimed before anything else, and the VM is removed whatever happened', () => {
  assert.equal(steps.find(({ run }) => run !== undefined)?.name, 'Reclaim disk');
  assert.equal(steps.at(-1)?.if, 'always()');
  assert.match(steps.at(-1)?.run ?? '', /tart delete "\$VM"/);
});

test('I25 only what talks to the registry has its credentials, in its environment, and nothing logs in', () => {
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

test('I26 no step installs or upgrades anything on the host', () => {
  for (const [file, text] of texts) assert.doesNotMatch(text, /\bbrew\b|softwareupdate|\bupgrade\b/, file);
});

test('no step has an expression in its script: what a caller gives is data, not code', () => {
  for (const { name, run = '' } of steps) assert.doesNotMatch(run, /\$\{\{/, name ?? '');
});

test('what others wrote is taken by commit, for a tag can be moved', () => {
  for (const { uses } of steps.filter(({ uses }) => uses !== undefined)) assert.match(uses ?? '', /@[0-9a-f]{40}$/);
});

test('what was published is told by digest, to the caller and to people', () => {
  assert.match(step('Push').run ?? '', /image=\$published" >>"\$GITHUB_OUTPUT"[\s\S]*GITHUB_STEP_SUMMARY/);
});

test('the others bake through the one that is shared, and no workflow may write to the repository', () => {
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

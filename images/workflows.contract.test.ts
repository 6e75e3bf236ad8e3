import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { findShellcheck } from '@minifleet/host/testing/shellcheck';
import { findBinaries } from '@minifleet/local-cluster';

const run = promisify(execFile);

/** The workflows in a repository, because actionlint also checks called workflows there. */
function repositoryWith(context: { after(clean: () => void): void }): string {
  const repository = mkdtempSync(join(tmpdir(), 'workflows-'));
  context.after(() => rmSync(repository, { recursive: true }));
  mkdirSync(join(repository, '.git'));
  cpSync(join(import.meta.dirname, 'workflows'), join(repository, '.github/workflows'), { recursive: true });
  const labels = 'self-hosted-runner:\n  labels: [bare-metal, vm-image-builder]\n';
  writeFileSync(join(repository, '.github/actionlint.yaml'), labels);
  return repository;
}

async function actionlintSays(repository: string): Promise<string> {
  const { actionlint } = await findBinaries({ programs: ['actionlint'] });
  const { program, env } = await findShellcheck();
  const argv = ['-no-color', '-oneline', '-shellcheck', program, '-pyflakes', ''];
  return run(actionlint, argv, { cwd: repository, env: { ...process.env, ...env } }).then(
    ({ stdout }) => stdout,
    (error: Error & { stdout?: string; stderr?: string }) => error.stdout || error.stderr || error.message,
  );
}

test('actionlint accepts the workflows', async context => {
  assert.equal(await actionlintSays(repositoryWith(context)), '');
});

test('actionlint would report a missing input and a script with a mistake', async context => {
  const repository = repositoryWith(context);
  const change = (file: string, from: string, to: string): void => {
    const path = join(repository, '.github/workflows', file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  };
  change('bake-runner-images.yml', 'image: runner', 'picture: runner');
  change('bake-image.yml', 'run: tart pull "$BASE"', 'run: tart pull $BASE');
  const output = await actionlintSays(repository);
  assert.match(output, /input "picture" is not defined/);
  assert.match(output, /SC2086/);
});

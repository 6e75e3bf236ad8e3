import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../e2e/testing/built-agent.ts';

const run = promisify(execFile);

/** A version of the provider, with its CRDs and its RBAC in `config`. */
export interface ProviderVersion {
  readonly name: 'new' | 'baseline';
  /** Root of its repository. */
  readonly root: string;
}

export interface Baseline extends ProviderVersion, AsyncDisposable {
  readonly commit: string;
}

/** The version in this checkout. */
export const THIS_VERSION: ProviderVersion = { name: 'new', root: ROOT };

/** Files that the provider needs at run time. */
const PATHS = ['packages', 'config', 'package.json'];

/** Extracts an earlier version into a temporary folder. It uses the third-party packages of this checkout and its own `@minifleet/*`. */
export async function openBaseline(revision: string): Promise<Baseline> {
  const commit = await commitOf(revision);
  const root = await mkdtemp(join(tmpdir(), 'minifleet-baseline-'));
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    const archive = join(root, 'baseline.tar');
    await run('git', ['archive', `--output=${archive}`, commit, ...PATHS], { cwd: ROOT });
    await run('tar', ['-xf', archive, '-C', root]);
    await linkDependencies(root);
  } catch (error) {
    await remove();
    throw error;
  }
  return { name: 'baseline', root, commit, [Symbol.asyncDispose]: remove };
}

async function commitOf(revision: string): Promise<string> {
  try {
    const argv = ['rev-parse', '--verify', '--quiet', '--short', `${revision}^{commit}`];
    return (await run('git', argv, { cwd: ROOT })).stdout.trim();
  } catch (error) {
    const next = 'fetch the whole history, or choose another version with --baseline <commit> or --baseline none';
    throw new Error(`baseline ${revision}: this checkout does not have the commit; ${next}`, { cause: error });
  }
}

async function linkDependencies(root: string): Promise<void> {
  const [from, to] = [join(ROOT, 'node_modules'), join(root, 'node_modules')];
  await mkdir(join(to, '@minifleet'), { recursive: true });
  for (const name of await readdir(from)) {
    if (name !== '@minifleet') await symlink(join(from, name), join(to, name));
  }
  for (const name of await readdir(join(root, 'packages')))
    await symlink(join(root, 'packages', name), join(to, '@minifleet', name));
}

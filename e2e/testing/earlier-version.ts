import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './built-agent.ts';

const run = promisify(execFile);

/** Last version without MacHosts, in which a HostClaim was the only object of a Mac. */
export const BEFORE_MAC_HOSTS = 'afdc4946';

/** A version of the provider, with its CRDs and its RBAC in `config`. */
export interface ProviderVersion {
  readonly name: 'new' | 'baseline';
  /** Root of its repository. */
  readonly root: string;
}

export interface EarlierVersion extends ProviderVersion, AsyncDisposable {
  readonly commit: string;
}

/** The version in this checkout. */
export const THIS_VERSION: ProviderVersion = { name: 'new', root: ROOT };

/** Files that the provider needs at run time. */
const PATHS = ['packages', 'config', 'package.json'];

/** Extracts an earlier version into a temporary folder. It uses the third-party packages of this checkout and its own `@minifleet/*`. */
export async function openEarlierVersion(revision: string): Promise<EarlierVersion> {
  const commit = await commitOf(revision);
  if (commit === undefined) {
    const next = 'fetch the whole history (git fetch --unshallow), or choose another version';
    throw new Error(`version ${revision}: this checkout does not have the commit; ${next}`);
  }
  const root = await mkdtemp(join(tmpdir(), 'minifleet-earlier-'));
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    const archive = join(root, 'version.tar');
    await run('git', ['archive', `--output=${archive}`, commit, ...PATHS], { cwd: ROOT });
    await run('tar', ['-xf', archive, '-C', root]);
    await linkDependencies(root);
  } catch (error) {
    await remove();
    throw error;
  }
  return { name: 'baseline', root, commit, [Symbol.asyncDispose]: remove };
}

/** Returns the short name of the commit if this checkout has it. A shallow clone and an archive do not. */
export async function commitOf(revision: string): Promise<string | undefined> {
  const argv = ['rev-parse', '--verify', '--quiet', '--short', `${revision}^{commit}`];
  return run('git', argv, { cwd: ROOT }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
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

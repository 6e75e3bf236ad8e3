/**
 * Finds the Node executable on which an agent is based: from node_modules if it fits, otherwise from npm, verified by
 * the lockfile's checksum.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type LockedPackage, readLockfile } from './lockfile.ts';
import type { AgentPlatform } from './platform.ts';

const run = promisify(execFile);

interface BaseBinaryOptions {
  readonly root: string;
  /** Folder of downloads: `~/.cache/minifleet`. */
  readonly cache: string;
  readonly say: (detail: string) => void;
  /** Lockfile that pins the package, relative to the root (default: the one of the agent's platforms). */
  readonly lockfile?: string;
}

export interface BaseBinary {
  readonly path: string;
  readonly version: string;
  readonly locked: LockedPackage;
}

export async function findBaseBinary(
  { basePackage }: Pick<AgentPlatform, 'basePackage'>,
  options: BaseBinaryOptions,
): Promise<BaseBinary> {
  const { root, cache, lockfile = 'tools/sea-base/package-lock.json' } = options;
  const locked = readLockfile(join(root, lockfile))[`node_modules/${basePackage}`];
  if (locked?.version === undefined || locked.integrity === undefined)
    throw new Error(`${lockfile} does not pin ${basePackage}`);
  const { version, integrity } = locked;
  const installed = await installedAt(join(root, 'node_modules', basePackage), version);
  if (installed !== undefined) return { path: installed, version, locked };
  const folder = join(cache, 'sea-base', `${basePackage}-${version}`);
  const path = join(folder, 'node');
  if (!existsSync(path)) await download({ name: `${basePackage}@${version}`, integrity, lockfile, folder }, options);
  return { path, version, locked };
}

async function installedAt(folder: string, expected: string): Promise<string | undefined> {
  const path = join(folder, 'bin/node');
  if (!existsSync(path)) return undefined;
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  return version === expected ? path : undefined;
}

interface BaseDownload {
  readonly name: string;
  readonly integrity: string;
  readonly lockfile: string;
  readonly folder: string;
}

/**
 * Downloads into a temporary folder and renames it, so that concurrent or interrupted builds leave no partial binary.
 */
async function download(source: BaseDownload, { cache, say }: BaseBinaryOptions): Promise<void> {
  const { name, integrity, lockfile, folder } = source;
  await mkdir(join(cache, 'sea-base'), { recursive: true });
  const part = await mkdtemp(`${folder}.part-`);
  try {
    say(`fetching ${name} from npm`);
    const archive = await fetchArchive(name, part);
    if (integrityOf(await readFile(archive)) !== integrity)
      throw new Error(`${name} from npm does not match the checksum in ${lockfile}; do not use it`);
    say(`unpacking ${name}`);
    await run('tar', ['-xzf', archive, '-C', part, '--strip-components=2', 'package/bin/node']);
    await rm(archive);
    await rename(part, folder).catch(error => {
      // Another build was faster.
      if (!existsSync(join(folder, 'node'))) throw error;
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function fetchArchive(name: string, directory: string): Promise<string> {
  try {
    const { stdout } = await run('npm', ['pack', name, '--json', '--pack-destination', directory], { cwd: directory });
    const [packed] = Object.values(JSON.parse(stdout) as readonly { readonly filename: string }[]);
    if (packed) return join(directory, packed.filename);
    throw new Error('npm pack returned no file name');
  } catch (error) {
    throw new Error(`cannot fetch ${name} from npm; check the network and \`npm config get registry\``, {
      cause: error,
    });
  }
}

const integrityOf = (content: Buffer): string => `sha512-${createHash('sha512').update(content).digest('base64')}`;

/** The name is part of the executable, so it must be the same wherever it is built. */
const MAIN = 'tart-kubelet.mjs';

/**
 * Embeds a program in a Node executable (`node --build-sea`). `node` runs on this machine and must be of exactly the
 * same version.
 */
export async function inject(code: string, base: BaseBinary, node: string): Promise<Buffer> {
  await checkVersion(node, base.version);
  const directory = await mkdtemp(join(tmpdir(), 'minifleet-sea-'));
  try {
    await writeFile(join(directory, MAIN), code);
    await writeFile(join(directory, 'sea.json'), JSON.stringify(settings(base.path)));
    await promisify(execFile)(node, ['--build-sea', 'sea.json'], { cwd: directory });
    return await readFile(join(directory, 'agent'));
  } catch (error) {
    throw new Error('node --build-sea failed; it takes 1.1 GB of memory and 0.5 GB in the temporary directory', {
      cause: error,
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * No code cache and no snapshot: both are specific to this machine's processor, and another would load them without a
 * warning.
 */
const settings = (executable: string) => ({
  main: MAIN,
  mainFormat: 'module',
  executable,
  output: 'agent',
  disableExperimentalSEAWarning: true,
  useCodeCache: false,
  useSnapshot: false,
});

/**
 * Checks for equal versions: one patch release may not read what another writes, and would crash at its start
 * (yao-pkg/pkg#247).
 */
async function checkVersion(node: string, expected: string): Promise<void> {
  const { stdout } = await promisify(execFile)(node, ['--version']);
  if (stdout.trim() === `v${expected}`) return;
  throw new Error(
    `the agent is built with Node ${expected}, this is ${stdout.trim()}; put node_modules/.bin first on PATH`,
  );
}

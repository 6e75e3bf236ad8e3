import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type AgentBuildOptions, buildAgent } from './build-agent.ts';
import { bundle } from './bundle.ts';
import { readLockfile } from './lockfile.ts';
import type { AgentPlatform } from './platform.ts';

/**
 * An executable takes 150 MB: a few are kept for switching between versions, and every one that may still be running.
 */
const KEPT = 5;
const MAY_RUN_MILLISECONDS = 24 * 3_600_000;

interface CachedAgentOptions extends Omit<AgentBuildOptions, 'out' | 'main'> {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Returns the path of the agent's executable for this platform, built once per content and kept in the cache. */
export async function cachedAgent({ now, ...options }: CachedAgentOptions): Promise<string> {
  const { root, platform, cache } = options;
  const { code } = await bundle(root, 'packages/tart-kubelet/main.ts');
  const base = readLockfile(join(root, 'tools/sea-base/package-lock.json'))[`node_modules/${platform.basePackage}`];
  const agents = join(cache, 'agent');
  const out = join(agents, agentKey(platform, base?.version ?? '', code));
  const executable = join(out, `tart-kubelet-${platform.name}`);
  if (!existsSync(executable)) await buildInto(out, options);
  await utimes(out, now / 1_000, now / 1_000);
  await removeOld(agents, now);
  return executable;
}

/** The key includes the platform: the folder is completed by a rename, which fails if the target exists. */
export const agentKey = ({ name }: Pick<AgentPlatform, 'name'>, baseVersion: string, code: string): string =>
  createHash('sha256').update(`${name}\n${baseVersion}\n${code}`).digest('hex').slice(0, 16);

/** Builds into a temporary folder and renames it, so that the result is complete even with concurrent builds. */
async function buildInto(out: string, options: Omit<AgentBuildOptions, 'out'>): Promise<void> {
  await mkdir(dirname(out), { recursive: true });
  const part = await mkdtemp(`${out}.part-`);
  try {
    await buildAgent({ ...options, out: part });
    await rename(part, out);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    // Another build was faster.
    if (!existsSync(out)) throw error;
  }
}

/** Removes executables beyond the kept ones that have not been used for a day. */
async function removeOld(agents: string, now: number): Promise<void> {
  const folders = (await readdir(agents)).map(name => join(agents, name));
  // A folder that was just removed or completed counts as used now.
  const used = (path: string): Promise<number> =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => now,
    );
  const seen = await Promise.all(folders.map(async path => ({ path, used: await used(path) })));
  const beyond = seen.sort((one, other) => other.used - one.used).slice(KEPT);
  const old = beyond.filter(({ used }) => now - used > MAY_RUN_MILLISECONDS);
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })));
}

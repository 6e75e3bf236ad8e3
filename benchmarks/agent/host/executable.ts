import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAgent, platforms, startTime } from '@minifleet/tart-kubelet/build';

export interface ExecutableFigures {
  readonly platform: string;
  readonly megabytes: number;
  /** Size of the agent's code; the rest is Node. */
  readonly bundleMegabytes: number;
  /** Time until `--version` has ended; undefined for other platforms. */
  readonly startMs: number | undefined;
}

/** Builds and measures the agent for each platform. */
export async function measureExecutables(): Promise<ExecutableFigures[]> {
  const out = mkdtempSync(join(tmpdir(), 'agent-'));
  const given = {
    root: fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, ''),
    cache: join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet'),
    out,
    node: process.execPath,
    step: () => ({ update() {}, done() {}, failed() {} }),
  };
  try {
    const all: ExecutableFigures[] = [];
    for (const platform of platforms) {
      const { executable, bytes, bundleBytes } = await buildAgent({ ...given, platform });
      const here = platform.os === process.platform && platform.cpu === process.arch;
      const startMs = here ? await startTime(executable) : undefined;
      const sizes = { megabytes: bytes / 1e6, bundleMegabytes: bundleBytes / 1e6 };
      all.push({ platform: platform.name, ...sizes, startMs });
    }
    return all;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedAgent, findPlatform } from '@minifleet/tart-kubelet/build';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Returns the agent as an executable for this machine. It is built only when its sources have changed. */
export const builtAgent = (): Promise<string> =>
  cachedAgent({
    root: ROOT,
    cache: join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet'),
    platform: findPlatform('linux-x64'),
    node: process.execPath,
    now: Date.now(),
    step: () => ({ update() {}, done() {}, failed() {} }),
  });

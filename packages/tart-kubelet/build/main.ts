/**
 * `node packages/tart-kubelet/build/main.ts <platform>`: builds the agent's executable if necessary and prints its
 * path.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedAgent } from './cached-agent.ts';
import { findPlatform } from './platform.ts';

const say = (message: string): void => void process.stderr.write(`${message}\n`);

const executable = await cachedAgent({
  root: fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, ''),
  cache: join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet'),
  platform: findPlatform(process.argv[2] ?? `${process.platform}-${process.arch}`),
  node: process.execPath,
  now: Date.now(),
  step: title => {
    say(title);
    return { update: say, done() {}, failed: say };
  },
});
process.stdout.write(`${executable}\n`);

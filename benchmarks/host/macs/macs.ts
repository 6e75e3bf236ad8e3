/** Process: new Macs with one SSH server each. Separate, so that their memory does not count as the caller's. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@minifleet/clock';
import { createWorldClock, startWorld } from '@minifleet/world';
import { serveCalls } from '../../child/serve-calls.ts';
import type { MacsCalls } from './calls.ts';
import { writeArtifacts } from './write-artifacts.ts';

const [count = 1, speed = 1] = process.argv.slice(2).map(Number);
const directory = await mkdtemp(join(tmpdir(), 'minifleet-host-benchmark-'));
// Also after a failure.
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const artifacts = await writeArtifacts(directory);
const clock = createWorldClock(systemClock, speed);
const world = await startWorld({ hosts: count, seed: 'benchmark', clock, directory });

serveCalls<MacsCalls>({
  async addresses() {
    return world.pool().map(({ name, host: { ssh, mac } }) => ({
      name,
      port: ssh.port,
      password: mac.options.password,
      keyFile: world.sshKeyFile,
    }));
  },
  artifacts: async () => artifacts,
  gaps: async () => world.deps.journal.gaps.map(({ place, detail }) => `${place}: ${detail}`),
  close: () => world.close(),
});

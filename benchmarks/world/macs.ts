/** Process: many Macs with one SSH server each. Reports its memory before and after the start, then runs until it is killed. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@minifleet/clock';
import { startWorld } from '@minifleet/world';

const [count = '1'] = process.argv.slice(2);

const memory = (): { heap: number; rss: number } => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss };
};

const directory = await mkdtemp(join(tmpdir(), 'minifleet-world-'));
// One Mac first, because all share one image.
const small = await startWorld({ hosts: 1, seed: 'benchmark', clock: systemClock, directory });
await small.close();
const before = memory();
const started = performance.now();
const world = await startWorld({ hosts: Number(count), seed: 'benchmark', clock: systemClock, directory });
const seconds = (performance.now() - started) / 1_000;
const after = memory();
process.send?.({
  directory,
  keyFile: world.sshKeyFile,
  ports: world.pool().map(({ host }) => host.ssh.port),
  before,
  after,
  seconds,
});
setInterval(() => undefined, 60_000);

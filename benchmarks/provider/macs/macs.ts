/** Process: the vendor, its Macs, and a fake agent on each. Separate, so that their CPU time and memory do not count as the provider's. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { milliseconds, systemClock } from '@minifleet/clock';
import { startWorld } from '@minifleet/world';
import { jobProgramsOf } from '@minifleet/world/mac';
import { serveCalls } from '../../child/serve-calls.ts';
import type { MacsCalls } from './calls.ts';
import { createFakeAgent } from './fake-agent.ts';

const [count = 1] = process.argv.slice(2).map(Number);
const directory = await mkdtemp(join(tmpdir(), 'minifleet-provider-benchmark-'));
// Also after a failure.
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const problems: string[] = [];
const agent = createFakeAgent(text => problems.push(text));
const NO_TIME = { least: milliseconds(0), most: milliseconds(0) };
const world = await startWorld({
  hosts: count,
  seed: 'benchmark',
  clock: systemClock,
  directory,
  vendor: { delivery: NO_TIME, reinstallation: NO_TIME, reboot: NO_TIME },
  prepareMac: mac => void jobProgramsOf(mac).set('/usr/local/bin/tart-kubelet', agent),
});

serveCalls<MacsCalls>({
  async addresses() {
    const { sshAddressFile, sshKeyFile, scaleway } = world;
    return { sshAddressFile, sshKeyFile, vendor: scaleway.apiFor(), directory };
  },
  async problems() {
    const gaps = world.deps.journal.gaps.map(({ place, detail }) => `not modelled: ${place}: ${detail}`);
    return [...gaps, ...problems];
  },
  async processorTime() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  close: () => world.close(),
});

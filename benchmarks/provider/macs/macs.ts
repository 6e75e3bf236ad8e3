/** Process: the vendor, its Macs, and what stands for the agent on each. Alone, so that their time and memory are not the provider's. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { milliseconds, systemClock } from '@minifleet/clock';
import { startWorld } from '@minifleet/world';
import { jobProgramsOf } from '@minifleet/world/mac';
import { serveCalls } from '../../child/serve-calls.ts';
import { createFakeAgent } from './fake-agent.ts';
import type { MacsCalls } from './calls.ts';

const [count = 1] = process.argv.slice(2).map(Number);
const directory = await mkdtemp(join(tmpdir(), 'minifleet-provider-benchmark-'));
// However the benchmark ends, what it left on the disk goes.
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const troubles: string[] = [];
const agent = createFakeAgent(words => troubles.push(words));
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
    return [...gaps, ...troubles];
  },
  async processorTime() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  close: () => world.close(),
});

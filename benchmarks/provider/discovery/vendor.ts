/** Process: the vendor without Macs. Nobody logs in to a free server. Separate, so that its CPU time does not count as the provider's. */
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@minifleet/clock';
import { createChance, createFaultPlan, createJournal, startScaleway } from '@minifleet/world';
import { serveCalls } from '../../child/serve-calls.ts';
import { DISCOVERY } from '../names.ts';
import type { VendorCalls } from './calls.ts';

const directory = await mkdtemp(join(tmpdir(), 'minifleet-discovery-benchmark-'));
// Also after a failure.
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const sshAddressFile = join(directory, 'ssh-addresses.json');
await writeFile(sshAddressFile, '{}');

const clock = systemClock;
const chance = createChance('benchmark');
const deps = { clock, chance, journal: createJournal(clock), faults: createFaultPlan(chance.stream('faults')) };
const scaleway = await startScaleway({ deps });

serveCalls<VendorCalls>({
  async addresses() {
    return { sshAddressFile, vendor: scaleway.apiFor(), directory };
  },
  async addServers(count) {
    for (let number = 1; number <= count; number++)
      await scaleway.console.addServer({ name: `${DISCOVERY.pool}${number}` });
  },
  close: () => scaleway.close(),
});

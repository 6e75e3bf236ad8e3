import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import type { HostFile } from './host/host-file.ts';
import type { VmConfig } from './storage/vm-config.ts';
import { makeTart, type SimulatedTart } from './testing/make-tart.ts';

async function makeHost(
  context: { after(clean: () => Promise<void>): void },
  host: HostFile = {},
): Promise<SimulatedTart> {
  const tart = makeTart(host);
  context.after(() => tart.cleanUp());
  await tart.call(['create', 'vm', '--from-ipsw', 'latest']);
  return tart;
}

const configOf = (tart: SimulatedTart, name: string): VmConfig =>
  JSON.parse(readFileSync(join(tart.home, 'vms', name, 'config.json'), 'utf8')) as VmConfig;

test('a clone keeps the ECID and gets a new MAC address only on collision', async context => {
  const tart = await makeHost(context);
  await tart.call(['clone', 'vm', 'copy']);
  assert.equal(configOf(tart, 'copy').ecid, configOf(tart, 'vm').ecid);
  assert.notEqual(configOf(tart, 'copy').macAddress, configOf(tart, 'vm').macAddress);
  const { macAddress } = configOf(tart, 'vm');
  await tart.call(['rename', 'vm', 'golden']);
  await tart.call(['export', 'golden', join(tart.home, 'golden.tvm')]);
  await tart.call(['delete', 'golden']);
  await tart.call(['import', join(tart.home, 'golden.tvm'), 'again']);
  assert.equal(configOf(tart, 'again').macAddress, macAddress);
});

test('tart set changes the given options, resets the display refit, and rejects too small values', async context => {
  const tart = await makeHost(context);
  await tart.call(['set', 'vm', '--display-refit']);
  assert.equal(configOf(tart, 'vm').displayRefit, true);
  const { ecid } = configOf(tart, 'vm');
  const changed = await tart.call([
    'set',
    'vm',
    '--cpu',
    '6',
    '--memory',
    '8192',
    '--random-serial',
    '--disk-size',
    '80',
  ]);
  assert.equal(changed.code, 0, changed.stderr);
  const config = configOf(tart, 'vm');
  assert.deepEqual([config.cpuCount, config.memorySize, config.displayRefit], [6, 8 * 1024 ** 3, undefined]);
  assert.notEqual(config.ecid, ecid);
  assert.equal((await tart.call(['set', 'vm', '--cpu', '1'])).code, 1);
  const shrunk = await tart.call(['set', 'vm', '--disk-size', '10']);
  assert.match(shrunk.stderr, /^new disk size of .* should be larger than /);
});

test('tart run assigns a new MAC address to a VM whose address is in use', async context => {
  const tart = await makeHost(context);
  await tart.call(['clone', 'vm', 'copy']);
  const copy = join(tart.home, 'vms/copy/config.json');
  writeFileSync(copy, JSON.stringify({ ...configOf(tart, 'copy'), macAddress: configOf(tart, 'vm').macAddress }));
  tart.start(['run', 'vm', '--no-graphics']);
  await eventually(async () => (await tart.call(['list'])).stdout.includes('running'));
  const second = tart.start(['run', 'copy', '--no-graphics']);
  await eventually(() => second.stdout.includes('Resetting VM to assign a new MAC address...'));
});

test('a VM in lockLies runs but is listed as stopped', async context => {
  const tart = await makeHost(context);
  const running = tart.start(['run', 'vm', '--no-graphics']);
  await eventually(async () => (await tart.call(['list'])).stdout.includes('running'));
  tart.change({ lockLies: ['vm'] });
  assert.match((await tart.call(['list'])).stdout, /stopped/);
  assert.equal(running.process.exitCode, null);
});

test('tart prune removes by age or budget, but never running VMs', async context => {
  const tart = await makeHost(context);
  await tart.call(['prune', '--entries', 'vms', '--space-budget', '100']);
  assert.equal((await tart.call(['list', '-q'])).stdout, 'vm\n');
  await tart.call(['prune', '--entries', 'vms', '--space-budget', '10']);
  assert.equal((await tart.call(['list', '-q'])).stdout, '');
});

test('a hanging guest responds to no command, and tart list can be slow', async context => {
  const tart = await makeHost(context, { guests: { default: { hangs: true } } });
  tart.start(['run', 'vm', '--no-graphics']);
  await eventually(async () => (await tart.call(['list'])).stdout.includes('running'));
  const asked = tart.start(['exec', 'vm', 'true']);
  const delay = { type: 'delay', seconds: 10 } as const;
  tart.change({ guests: { default: { hangs: true } }, faults: [{ kind: 'command', matches: 'list', fault: delay }] });
  const began = performance.now();
  await tart.call(['list']);
  assert.ok(performance.now() - began >= 190);
  assert.equal(asked.process.exitCode, null);
});

test('I30 a macOS guest does not start within a guest', async context => {
  const tart = await makeHost(context);
  const nested = await tart.call(['run', 'vm'], { environment: { GUEST_ROOT: '/guest' } });
  assert.equal(nested.code, 1);
  assert.match(nested.stderr, /Virtualization is not available on this hardware\./);
});

test('an unmodelled tart command is recorded in the journal', async context => {
  const tart = await makeHost(context);
  assert.equal((await tart.call(['teleport'])).code, 64);
  assert.match(readFileSync(join(tart.world, 'journal.jsonl'), 'utf8'), /"not modelled","detail":"teleport: /);
});

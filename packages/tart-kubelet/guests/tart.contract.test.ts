import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { milliseconds, seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { HostFile } from '@minifleet/world/testing';
import { makeTart, type SimulatedTart } from '@minifleet/world/testing';
import { createTart, type TartCli, type TartLimits } from './tart.ts';
import type { TartErrorKind } from './tart-error.ts';

interface Host {
  readonly simulated: SimulatedTart;
  readonly tart: TartCli;
}

interface Wish {
  readonly host?: HostFile;
  readonly limits?: Partial<TartLimits>;
}

async function makeHost(context: { after(clean: () => Promise<void>): void }, wish: Wish = {}): Promise<Host> {
  const simulated = makeTart(wish.host);
  context.after(() => simulated.cleanUp());
  await simulated.call(['create', 'golden', '--from-ipsw', 'latest']);
  const { path, home } = simulated;
  const environment = { PATH: process.env['PATH'], HOME: home };
  const limits = wish.limits === undefined ? {} : { limits: wish.limits };
  return { simulated, tart: createTart({ path, home, environment, clock: systemClock, ...limits }) };
}

const kind = (expected: TartErrorKind) => (error: { kind?: string }) => error.kind === expected;

test('tart version, list, clone, set and delete are typed calls', async context => {
  const { tart, simulated } = await makeHost(context);
  assert.match(await tart.version(), /^\d+\.\d+\.\d+$/);
  await tart.clone('golden', 'a');
  await tart.set('a', { cpus: 6, memoryMegabytes: 8_192, freshIdentity: true });
  assert.deepEqual(await tart.vms(), [
    { name: 'a', running: false, bytes: 18e9 },
    { name: 'golden', running: false, bytes: 18e9 },
  ]);
  const config = JSON.parse(readFileSync(join(simulated.home, 'vms/a/config.json'), 'utf8')) as Record<string, unknown>;
  const golden = JSON.parse(readFileSync(join(simulated.home, 'vms/golden/config.json'), 'utf8')) as typeof config;
  assert.equal(config['cpuCount'], 6);
  assert.notEqual(config['ecid'], golden['ecid']);
  await tart.delete('a');
  await tart.delete('a');
  assert.deepEqual(await tart.images(), []);
  assert.equal(await tart.digestOf('ghcr.io/acme/macos:latest'), undefined);
});

test('tart clone never replaces a VM or a partial bundle', async context => {
  const { tart, simulated } = await makeHost(context);
  await tart.clone('golden', 'a');
  await assert.rejects(tart.clone('golden', 'a'), kind('exists'));
  mkdirSync(join(simulated.home, 'vms/half'));
  await assert.rejects(tart.clone('golden', 'half'), kind('exists'));
});

test('tart stop succeeds for a stopped or missing VM; clone of a missing one is "not found"', async context => {
  const { tart } = await makeHost(context);
  await tart.stop('golden', seconds(1));
  await tart.stop('nobody', seconds(1));
  await assert.rejects(tart.clone('nobody', 'b'), kind('not found'));
});

test('a setting that Tart did not apply is an error', async context => {
  const faults = [{ kind: 'command', matches: '^tart set', fault: { type: 'fail', code: 0, message: '' } }] as const;
  const { tart } = await makeHost(context, { host: { faults } });
  await assert.rejects(tart.set('golden', { freshIdentity: true }), /kept its MAC address, it kept its machine id/);
  await assert.rejects(tart.set('golden', { cpus: 7 }), /CPUs instead of 7/);
});

test('a hanging Tart call is killed at its deadline and named in the error', async context => {
  const faults = [{ kind: 'command', matches: '^tart list', fault: { type: 'hang' } }] as const;
  const { tart } = await makeHost(context, { host: { faults }, limits: { read: milliseconds(1_500) } });
  await assert.rejects(tart.vms(), /^TART_TIMED_OUT: tart list: timed out after 1\.5s$/);
});

test('a Tart call aborted by its caller ends immediately', async context => {
  const faults = [{ kind: 'command', matches: '^tart clone', fault: { type: 'hang' } }] as const;
  const { tart, simulated } = await makeHost(context, { host: { faults } });
  const giveUp = new AbortController();
  const cloned = assert.rejects(tart.clone('golden', 'a', { signal: giveUp.signal }), kind('aborted'));
  await eventually(() => readFileSync(join(simulated.world, 'journal.jsonl'), 'utf8').includes('fault hang'));
  giveUp.abort();
  await cloned;
});

test('an unreadable Tart list is an error and not an empty list', async context => {
  const faults = [{ kind: 'command', matches: '^tart list', fault: { type: 'fail', code: 0, message: 'x' } }] as const;
  const { tart } = await makeHost(context, { host: { faults } });
  await assert.rejects(tart.vms(), kind('unreadable'));
});

test('a missing Tart binary is reported as not installed', async () => {
  const options = { path: '/nowhere/tart', home: '/nowhere', environment: {}, clock: systemClock };
  await assert.rejects(createTart(options).version(), kind('not installed'));
});

test('tart ip returns an address once there is one, and reports missing files', async context => {
  const { tart, simulated } = await makeHost(context);
  assert.equal(await tart.addressOf('golden'), undefined);
  const running = simulated.start(['run', 'golden', '--no-graphics']);
  const address = await eventually(() => tart.addressOf('golden'));
  assert.match(address, /^192\.168\.64\./);
  await tart.stop('golden', seconds(5));
  await running.outcome;
  rmSync(join(simulated.home, 'vms/golden/nvram.bin'));
  await assert.rejects(tart.clone('golden', 'b'), kind('damaged'));
});

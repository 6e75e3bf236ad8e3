import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { minutes, seconds, systemClock } from '@minifleet/clock';
import { eventually, type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { silentLog } from '@minifleet/kube';
import type { Guest, GuestId } from '../guests/guest.ts';
import { guestName } from '../guests/guest-name.ts';
import { createImages } from '../images/images.ts';
import { IMAGE, type ImageHost, openImageHost, requestFor } from '../images/testing/image-host.ts';
import { type CollectorOptions, type CollectorPod, garbageCollection } from './collector.ts';

import { defaultRetention } from './image-retention.ts';

const uid = (digit: number): string => `${`${digit}`.repeat(8)}-1111-4111-8111-111111111111`;
const nameOf = (digit: number, attempt = 0): string => guestName({ uid: uid(digit), attempt });

interface CollectorSetup {
  readonly pods?: readonly CollectorPod[] | undefined;
  readonly guests?: readonly Guest[];
  readonly removed?: GuestId[];
  readonly golden?: readonly string[];
  readonly disabled?: boolean;
  readonly clock?: FakeClock;
}

/** A collector on a simulated host; with an empty disk unless a test says otherwise. */
function collectorOn(host: ImageHost, given: CollectorSetup = {}) {
  const { pods = [], guests = [], removed = [], golden = [], disabled = false } = given;
  const options: CollectorOptions = {
    tart: host.tart,
    ledger: host.ledger,
    guests: { all: () => guests, stop: async () => undefined, remove: async id => void removed.push(id) },
    pods: () => ('pods' in given ? given.pods : pods),
    golden: () => ({ names: golden, labels: [] }),
    retention: defaultRetention,
    disk: async () => ({ totalBytes: 100e9, freeBytes: 90e9 }),
    directories: { tart: host.simulated.home, pods: join(host.directory, 'pods'), logs: join(host.directory, 'logs') },
    clock: given.clock ?? systemClock,
    log: silentLog,
  };
  return garbageCollection(disabled, options);
}

const guest = (id: GuestId, image: string): Guest => ({
  state: { phase: 'creating' },
  spec: {
    id,
    image,
    pod: 'default/a',
    shares: [],
    freshIdentity: true,
    logFile: '/dev/null',
    bootWithin: seconds(60),
  },
});

const listed = async ({ simulated }: ImageHost): Promise<string[]> =>
  (await simulated.call(['list', '--source', 'local', '-q'])).stdout.split('\n').filter(line => line !== '');

const make = ({ simulated }: ImageHost, name: string) => simulated.call(['create', name, '--from-ipsw', 'latest']);

for (const disabled of [false, true]) {
  test(`I28 a VM that is being pushed survives with the collector ${disabled ? 'off' : 'on'}`, async t => {
    const host = await openImageHost(t, { host: { push: { diskSeconds: 30 } } });
    await make(host, 'tuist-runner');
    const collector = collectorOn(host, { disabled });
    assert.equal(collector === undefined, disabled);
    const pushing = host.simulated.start(['push', 'tuist-runner', IMAGE]);
    await eventually(() => pushing.stdout.includes('pushing disk... this will take a while...'));
    await collector?.collect('interval');
    await collector?.collect('no space');
    const outcome = await pushing.outcome;
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.deepEqual(await listed(host), ['tuist-runner']);
    assert.deepEqual(host.registry.counts.get('PUT manifest'), 1);
  });
}

test('the VM of a deleted Pod is stopped and removed; foreign VMs are never touched', async t => {
  const host = await openImageHost(t);
  for (const name of [nameOf(1), nameOf(2), 'packer-vm', 'pod-of-mine', 'tuist-runner']) await make(host, name);
  const orphan = host.simulated.start(['run', nameOf(1), '--no-graphics']);
  const foreign = host.simulated.start(['run', 'packer-vm', '--no-graphics']);
  await eventually(async () => (await host.tart.vms()).filter(vm => vm.running).length === 2);
  const report = await collectorOn(host)?.collect('interval');
  assert.equal((await orphan.outcome).code, 0);
  assert.deepEqual(await listed(host), ['packer-vm', 'pod-of-mine', 'tuist-runner']);
  assert.deepEqual(report?.removed.toSorted(), [nameOf(1), nameOf(2)]);
  assert.equal(foreign.process.exitCode, null);
});

test('garbage collection keeps guests with a record, and unrecorded ones while their Pod exists', async t => {
  const host = await openImageHost(t);
  for (const name of [nameOf(1), nameOf(2)]) await make(host, name);
  const collector = collectorOn(host, {
    pods: [{ uid: uid(2), images: [] }],
    guests: [guest({ uid: uid(1), attempt: 0 }, 'x@sha256:0')],
  });
  assert.deepEqual((await collector?.collect('no space'))?.removed, []);
  assert.equal((await listed(host)).length, 2);
});

test('garbage collection removes a recorded guest of a deleted Pod only after ten minutes', async t => {
  const clock = fakeClock();
  const host = await openImageHost(t, { clock });
  await make(host, nameOf(1));
  const removed: GuestId[] = [];
  const id = { uid: uid(1), attempt: 0 };
  const collector = collectorOn(host, { clock, removed, guests: [guest(id, 'x@sha256:0')] });
  await collector?.collect('interval');
  await clock.advance(minutes(9));
  await collector?.collect('interval');
  assert.deepEqual(removed, []);
  await clock.advance(minutes(1));
  await collector?.collect('interval');
  assert.deepEqual(removed, [id]);
});

test('garbage collection removes nothing before the Pods are listed, or if Tart fails', async t => {
  const host = await openImageHost(t);
  await make(host, nameOf(1));
  assert.deepEqual((await collectorOn(host, { pods: undefined })?.collect('no space'))?.removed, []);
  const fault = { type: 'fail', code: 0, message: 'garbage' } as const;
  host.change({ faults: [{ kind: 'command', matches: '^tart list', fault }] });
  assert.deepEqual((await collectorOn(host)?.collect('no space'))?.removed, []);
  // Not counted: the pass is over with the first of its lists that fails, and the other may not have begun.
  host.change({ faults: [] });
  assert.deepEqual(await listed(host), [nameOf(1)]);
});

test('garbage collection removes half-deleted bundles and folders of deleted Pods, never foreign ones', async t => {
  const host = await openImageHost(t);
  const bundle = (name: string): string => join(host.simulated.home, 'vms', name);
  for (const name of [nameOf(1), nameOf(2), 'half']) {
    await make(host, name);
    rmSync(join(bundle(name), 'config.json'));
  }
  const folders = [`pods/${uid(1)}`, `pods/${uid(2)}`, 'pods/readme', `logs/a_b_${uid(1)}`, `logs/a_b_${uid(2)}`];
  for (const folder of folders) mkdirSync(join(host.directory, folder, 'env'), { recursive: true });
  writeFileSync(join(host.directory, 'pods', uid(1), 'env', 'secret'), 'x');
  // What a killed pull left: Tart itself clears it with the list that begins each pass.
  const unfinished = join(host.simulated.home, 'tmp', '0cc175b9c0f1b6a831c399e269772661');
  mkdirSync(unfinished, { recursive: true });
  const collector = collectorOn(host, { guests: [guest({ uid: uid(2), attempt: 0 }, 'x@sha256:0')] });
  await collector?.collect('interval');
  assert.equal(existsSync(unfinished), false);
  assert.deepEqual([nameOf(1), nameOf(2), 'half'].map(bundle).map(existsSync), [false, true, true]);
  assert.deepEqual(
    folders.map(folder => existsSync(join(host.directory, folder))),
    [false, true, true, false, true],
  );
});

test('a pull without disk space removes unused images and keeps used, golden and foreign ones', async t => {
  const clock = fakeClock();
  const host = await openImageHost(t, { clock, host: { disk: { freeBytes: 90e9 } } });
  const names = ['old', 'needed', 'golden', 'foreign'].map(name => `ghcr.io/acme/${name}:1`);
  for (const name of ['old', 'needed', 'golden', 'foreign', 'new']) host.registry.seedImage(`acme/${name}:1`);
  const [old = '', needed = '', golden = '', foreign = ''] = names;
  await host.simulated.call(['pull', foreign]);
  const collector = collectorOn(host, {
    clock,
    pods: [{ uid: uid(1), images: [needed, 'not a name'] }],
    golden: ['ghcr.io/acme/golden'],
  });
  const images = createImages({
    tart: host.tart,
    ledger: host.ledger,
    clock,
    log: silentLog,
    reclaim: collector?.collect,
  });
  for (const image of [old, needed, golden]) await images.ensure(requestFor(image));
  await clock.advance(minutes(3));
  assert.equal((await images.ensure(requestFor('ghcr.io/acme/new:1'))).pulled, true);
  const left = (await images.list()).map(({ names: [, tag] }) => tag);
  assert.deepEqual(new Set(left), new Set([foreign, golden, needed, 'ghcr.io/acme/new:1']));
});

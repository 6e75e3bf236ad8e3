import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type FaultsBench, openFaultsBench, shell } from './faults-bench.ts';

const PATIENT = { deadline: seconds(40) };

const cleared = (bench: FaultsBench): Promise<unknown> =>
  eventually(() => bench.vms().join() === 'builder,golden' && bench.slots.used === 0, PATIENT);

async function openWithBuilder(context: Parameters<typeof openFaultsBench>[0], ignoresStop = false) {
  const host = ignoresStop ? { guests: { default: { ignoresStop } } } : {};
  const bench = await openFaultsBench(context, { host });
  await bench.guests.foreign('builder');
  return bench;
}

test('a guest that ignores shutdown and power cut is killed after its grace period and leaves nothing', async context => {
  const bench = await openWithBuilder(context, true);
  // Held by somebody else’s finalizer, so that its last status can be read.
  await bench.create('deaf', shell("trap '' TERM; while :; do sleep 0.1; done"), { finalizers: ['example.org/hold'] });
  await eventually(async () => (await bench.stateOf('deaf')) === 'Running', PATIENT);
  await bench.delete('deaf', 3);
  await eventually(async () => (await bench.stateOf('deaf')) === 'Failed 137 Killed', PATIENT);
  await cleared(bench);
});

test('a force-deleted Pod leaves neither a VM nor a slot, and is not run again', async context => {
  const bench = await openWithBuilder(context);
  await bench.create('forced', shell('exec sleep 600'));
  await eventually(async () => (await bench.stateOf('forced')) === 'Running', PATIENT);
  await bench.delete('forced', 0);
  assert.equal(await bench.stateOf('forced'), undefined);
  await cleared(bench);
});

test('a Pod created again under the same name gets its own VM', async context => {
  const bench = await openWithBuilder(context);
  const first = await bench.create('twin', shell('exec sleep 600'));
  await eventually(async () => (await bench.stateOf('twin')) === 'Running', PATIENT);
  await bench.delete('twin', 0);
  const second = await bench.create('twin', shell('exit 4'));
  assert.notEqual(second.metadata.uid, first.metadata.uid);
  await eventually(async () => (await bench.stateOf('twin')) === 'Failed 4 Error', PATIENT);
  await cleared(bench);
});

test('a hostile guest: links, fifos and sockets in its writable share lead nowhere and hold up nothing', async context => {
  const bench = await openWithBuilder(context);
  const treasure = mkdtempSync(join(tmpdir(), 'treasure-'));
  context.after(() => Promise.resolve(rmSync(treasure, { recursive: true, force: true })));
  writeFileSync(join(treasure, 'file'), 'dear');
  const script = `cd "/Volumes/My Shared Files/out" && ln -s ${treasure} link && ln -s ${treasure}/file file &&
    mkfifo fifo env record.json && ln -s / root && mkdir -p a/b && ln -s ../../../.. a/b/up && chmod 000 a/b; exit 5`;
  const pod = await bench.create('hostile', { ...shell(script), volumes: [{ name: 'out', emptyDir: {} }] });
  await eventually(async () => (await bench.stateOf('hostile')) === 'Failed 5 Error', PATIENT);
  await cleared(bench);
  await eventually(() => !existsSync(join(bench.guests.state, 'pods', pod.metadata.uid ?? '')), PATIENT);
  assert.equal(readFileSync(join(treasure, 'file'), 'utf8'), 'dear');
  assert.ok(readdirSync('/').length > 0);
});

test('a hostile guest’s flood and terminal escapes end in a bounded log and message', async context => {
  const bench = await openWithBuilder(context);
  const flood = String.raw`yes "$(printf '\033[2J\033]0;owned\007')" | head -c 60000000; exit 5`;
  const { container } = shell(flood);
  await bench.create('loud', { container: { ...container, terminationMessagePolicy: 'FallbackToLogsOnError' } });
  await eventually(async () => (await bench.stateOf('loud')) === 'Failed 5 Error', PATIENT);
  const pod = await bench.find('loud');
  const { message = '' } = pod?.status?.containerStatuses?.[0]?.state?.terminated ?? {};
  assert.ok(Buffer.byteLength(message) <= 4_096, `${message.length}`);
  const folder = join(bench.guests.logs, `default_loud_${pod?.metadata.uid}`, 'vm');
  const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  assert.ok(bytes < 30_000_000, `${bytes} bytes of log`);
  for (const { note } of bench.events) assert.ok(!note.includes('\u001b'), JSON.stringify(note));
});

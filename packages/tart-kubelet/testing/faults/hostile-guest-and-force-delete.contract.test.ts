import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type FaultsBench, openFaultsBench, shell } from './faults-bench.ts';

const LONG_DEADLINE = { deadline: seconds(40) };

const untilCleared = (bench: FaultsBench): Promise<unknown> =>
  eventually(() => bench.vms().join() === 'builder,golden' && bench.slots.used === 0, LONG_DEADLINE);

async function openWithBuilder(context: Parameters<typeof openFaultsBench>[0], ignoresStop = false) {
  const host = ignoresStop ? { guests: { default: { ignoresStop } } } : {};
  const bench = await openFaultsBench(context, { host });
  await bench.guests.foreign('builder');
  return bench;
}

test('a guest that ignores shutdown and power cut is killed after its grace period and leaves nothing', async context => {
  const bench = await openWithBuilder(context, true);
  // A foreign finalizer keeps the Pod, so that the test can read its last status.
  await bench.create('stubborn', shell("trap '' TERM; while :; do sleep 0.1; done"), {
    finalizers: ['example.org/hold'],
  });
  await eventually(async () => (await bench.stateOf('stubborn')) === 'Running', LONG_DEADLINE);
  await bench.delete('stubborn', 3);
  await eventually(async () => (await bench.stateOf('stubborn')) === 'Failed 137 Killed', LONG_DEADLINE);
  await untilCleared(bench);
});

test('a force-deleted Pod leaves neither a VM nor a slot, and is not run again', async context => {
  const bench = await openWithBuilder(context);
  await bench.create('forced', shell('exec sleep 600'));
  await eventually(async () => (await bench.stateOf('forced')) === 'Running', LONG_DEADLINE);
  await bench.delete('forced', 0);
  assert.equal(await bench.stateOf('forced'), undefined);
  await untilCleared(bench);
});

test('a Pod created again under the same name gets its own VM', async context => {
  const bench = await openWithBuilder(context);
  const first = await bench.create('recreated', shell('exec sleep 600'));
  await eventually(async () => (await bench.stateOf('recreated')) === 'Running', LONG_DEADLINE);
  await bench.delete('recreated', 0);
  const second = await bench.create('recreated', shell('exit 4'));
  assert.notEqual(second.metadata.uid, first.metadata.uid);
  await eventually(async () => (await bench.stateOf('recreated')) === 'Failed 4 Error', LONG_DEADLINE);
  await untilCleared(bench);
});

test('links and fifos in the writable share of a hostile guest neither reach host files nor block its cleanup', async context => {
  const bench = await openWithBuilder(context);
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  context.after(() => Promise.resolve(rmSync(outside, { recursive: true, force: true })));
  writeFileSync(join(outside, 'file'), 'unchanged');
  const script = `cd "/Volumes/My Shared Files/out" && ln -s ${outside} link && ln -s ${outside}/file file &&
    mkfifo fifo env record.json && ln -s / root && mkdir -p a/b && ln -s ../../../.. a/b/up && chmod 000 a/b; exit 5`;
  const pod = await bench.create('hostile', { ...shell(script), volumes: [{ name: 'out', emptyDir: {} }] });
  await eventually(async () => (await bench.stateOf('hostile')) === 'Failed 5 Error', LONG_DEADLINE);
  await untilCleared(bench);
  await eventually(() => !existsSync(join(bench.guests.state, 'pods', pod.metadata.uid ?? '')), LONG_DEADLINE);
  assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'unchanged');
  assert.ok(readdirSync('/').length > 0);
});

test('the output flood and terminal escapes of a hostile guest end in a bounded log and message', async context => {
  const bench = await openWithBuilder(context);
  const flood = String.raw`yes "$(printf '\033[2J\033]0;owned\007')" | head -c 60000000; exit 5`;
  const { container } = shell(flood);
  await bench.create('loud', { container: { ...container, terminationMessagePolicy: 'FallbackToLogsOnError' } });
  await eventually(async () => (await bench.stateOf('loud')) === 'Failed 5 Error', LONG_DEADLINE);
  const pod = await bench.find('loud');
  const { message = '' } = pod?.status?.containerStatuses?.[0]?.state?.terminated ?? {};
  assert.ok(Buffer.byteLength(message) <= 4_096, `${message.length}`);
  const folder = join(bench.guests.logs, `default_loud_${pod?.metadata.uid}`, 'vm');
  const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  assert.ok(bytes < 30_000_000, `${bytes} bytes of log`);
  for (const { note } of bench.events) assert.ok(!note.includes('\u001b'), JSON.stringify(note));
});

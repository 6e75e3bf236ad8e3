import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { HostFault } from '@minifleet/world/testing/tart';
import { openFaultsBench, shell } from './faults-bench.ts';

const LONG_DEADLINE = { deadline: seconds(40) };

const failing: Record<string, HostFault['fault']> = {
  fails: { type: 'fail', code: 1, message: 'Error: something new' },
  'finds no space': { type: 'fail', code: 1, message: 'Error: No space left on device' },
  'is killed before it starts': { type: 'drop', when: 'before' },
  'is killed midway': { type: 'drop', when: 'during' },
  'is killed after it is done': { type: 'drop', when: 'after' },
};

for (const command of ['clone', 'set', 'delete']) {
  for (const [what, fault] of Object.entries(failing)) {
    test(`a tart ${command} that ${what} is retried: one run, the correct exit, nothing left`, async context => {
      const faults = [{ kind: 'command', matches: `^tart ${command}.* pod-`, times: 1, fault } as const];
      const bench = await openFaultsBench(context, { host: { faults } });
      await bench.create('job', shell('exit 5'));
      await eventually(async () => (await bench.stateOf('job')) === 'Failed 5 Error', LONG_DEADLINE);
      await eventually(() => bench.vms().length === 1 && bench.slots.used === 0, LONG_DEADLINE);
      assert.equal(bench.runs(), 1);
    });
  }
}

test('a tart call that hangs for one Pod delays neither other Pods nor its own deletion', async context => {
  const faults = [{ kind: 'command', matches: '^tart clone', times: 1, fault: { type: 'hang' } } as const];
  const bench = await openFaultsBench(context, { host: { faults } });
  await bench.create('stuck', shell('exit 5'));
  await eventually(() => bench.guests.journal().includes('clone golden'), LONG_DEADLINE);
  await bench.create('other', shell('exit 0'));
  await eventually(async () => (await bench.stateOf('other')) === 'Succeeded 0 Completed', LONG_DEADLINE);
  await bench.delete('stuck');
  await eventually(async () => (await bench.stateOf('stuck')) === undefined, LONG_DEADLINE);
  await eventually(() => bench.slots.used === 0 && bench.vms().join() === 'golden', LONG_DEADLINE);
  assert.equal(bench.runs(), 1);
});

test('a disk full at a guest’s record: the Pod waits with a reason and without a slot, then runs', async context => {
  let full = true;
  const onDurableWrite = (moment: 'before' | 'after', file: string): void => {
    if (full && moment === 'before' && file === 'record.json') {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    }
  };
  const bench = await openFaultsBench(context, { guests: { onDurableWrite } });
  const created = await bench.create('job', shell('exit 5'));
  await eventually(async () => /ENOSPC/.test(JSON.stringify((await bench.find('job'))?.status)), LONG_DEADLINE);
  await eventually(() => bench.slots.used === 0, LONG_DEADLINE);
  assert.equal(bench.runs(), 0);
  full = false;
  await eventually(async () => (await bench.stateOf('job')) === 'Failed 5 Error', LONG_DEADLINE);
  assert.equal(bench.runs(), 1);
  assert.equal((await bench.find('job'))?.metadata.uid, created.metadata.uid);
});

test('a disk full at a Pod’s environment: the Pod waits with a reason and without a slot, then runs', async context => {
  const bench = await openFaultsBench(context);
  const blockingFile = join(bench.guests.state, 'pods');
  writeFileSync(blockingFile, '');
  await bench.create('job', shell('exit 5'));
  await eventually(async () => /^Pending Create/.test((await bench.stateOf('job')) ?? ''), LONG_DEADLINE);
  assert.equal(bench.slots.used, 0);
  assert.deepEqual(bench.vms(), ['golden']);
  rmSync(blockingFile);
  await eventually(async () => (await bench.stateOf('job')) === 'Failed 5 Error', LONG_DEADLINE);
  assert.equal(bench.runs(), 1);
});

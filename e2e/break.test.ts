import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { hostFaults } from '@minifleet/dev/testing/incidents';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { createSemaphore } from '@minifleet/runners/testing/tasks';
import { type EndedCommand, type RunningUp, startUp } from './minifleet-up.ts';

/** Some of the nine Macs are still recovering. */
const CONCURRENT_FAULTS = 6;
const RETRY_LATER = /no such host is Ready and without a fault|needs the runner pool, but/;
/** Most of it is spent waiting for a free host. */
const timeout = minutes(20);

describe('minifleet break', { skip: noHostNetwork, timeout }, () => {
  let up: RunningUp;
  before(async () => {
    up = await startUp();
  });
  after(async () => {
    await up.signal('SIGINT');
  });

  /** Retries until a host for the fault is free, and the runner pool for the two faults that need it. */
  const inject = (id: string): Promise<EndedCommand> =>
    eventually(
      async () => {
        const ended = await up.minifleet(`minifleet break ${id} --wait`);
        return RETRY_LATER.test(ended.errors) ? false : ended;
      },
      { what: `a host for ${id}`, deadline: minutes(10), interval: seconds(2) },
    );

  const reactsInTime = async (id: string, t: TestContext): Promise<void> => {
    const { code, output, errors } = await inject(id);
    t.diagnostic(`${id} ${output.trim().split('\n').at(-1) ?? ''}`);
    assert.equal(code, 0, output + errors);
    assert.match(output, /✓ (repaired|reported) after [\d.]+ s: \S/);
  };

  describe('every fault on one Mac is repaired or reported in time', { concurrency: true, timeout }, () => {
    const lane = createSemaphore(CONCURRENT_FAULTS);
    for (const { id, fault, expected } of hostFaults.filter(({ alone }) => !alone))
      test(`${id} ${fault}: ${expected}`, { timeout }, t => lane.run(() => reactsInTime(id, t)));
  });

  describe('every fault on several Macs is repaired or reported in time', () => {
    for (const { id, fault, expected } of hostFaults.filter(({ alone }) => alone))
      test(`${id} ${fault}: ${expected}`, t => reactsInTime(id, t));
  });

  test('minifleet doctor finds no problem after all faults', async () => {
    await eventually(
      async () => {
        const { code, output } = await up.minifleet('minifleet doctor');
        assert.equal(code, 0, output);
        return true;
      },
      { what: 'doctor without problems', deadline: minutes(4), interval: seconds(2) },
    );
  });
});

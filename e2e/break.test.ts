import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { breakages } from '../packages/dev/break/breakages.ts';
import { noHostNetwork } from '../packages/local-cluster/testing/host-network-support.ts';
import { createLane } from '../packages/runners/tasks/tasks.ts';
import { type Ended, type RunningUp, startUp } from './minifleet-up.ts';

/** Of nine Macs some are still recovering. */
const AT_ONCE = 6;
const LATER = /none of them is Ready and left alone so far|is being done to it on/;
/** Most of it is spent waiting for a turn. */
const timeout = minutes(20);

describe('minifleet break', { skip: noHostNetwork, timeout }, () => {
  let up: RunningUp;
  before(async () => {
    up = await startUp();
  });
  after(async () => {
    await up.signal('SIGINT');
  });

  const seenInTime = async (id: string, t: TestContext): Promise<void> => {
    const { code, output, errors } = await strike(id);
    t.diagnostic(`${id} ${output.trim().split('\n').at(-1) ?? ''}`);
    assert.equal(code, 0, output + errors);
    assert.match(output, /✓ (healed|named) after [\d.]+ s: \S/);
  };

  describe('every incident done to a Mac that runs is healed or named in its time', {
    concurrency: true,
    timeout,
  }, () => {
    const lane = createLane(AT_ONCE);
    for (const { id, title } of breakages.filter(({ alone }) => !alone))
      test(`${id} ${title}`, { timeout }, t => lane.run(() => seenInTime(id, t)));
  });

  describe('so are those that more than one Mac feels', () => {
    for (const { id, title } of breakages.filter(({ alone }) => alone)) test(`${id} ${title}`, t => seenInTime(id, t));
  });

  /** As soon as a host that it can happen to is free, and for the two that are done to the pool of runners the pool, too. */
  const strike = (id: string): Promise<Ended> =>
    eventually(
      async () => {
        const ended = await up.minifleet(`minifleet break ${id} --wait`);
        return LATER.test(ended.errors) ? false : ended;
      },
      { what: `a host for ${id}`, deadline: minutes(10), interval: seconds(2) },
    );

  test('afterwards nobody is in trouble: doctor finds nothing', async () => {
    await eventually(
      async () => {
        const { code, output } = await up.minifleet('minifleet doctor');
        assert.equal(code, 0, output);
        return true;
      },
      { what: 'all is well', deadline: minutes(4), interval: seconds(2) },
    );
  });
});

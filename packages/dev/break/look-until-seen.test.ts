import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { paintFor } from '@minifleet/cli/terminal';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { Struck } from './breakage.ts';
import { describeLine } from './describe-line.ts';
import { lookUntilSeen } from './look-until-seen.ts';

const told = async (
  machine: () => Promise<ScalewayAppleSiliconMachine | undefined>,
  what: Pick<Struck, 'instead'> = {},
): Promise<string> => {
  const clock = fakeClock();
  const breakage = { within: seconds(60), promise: 'it is repaired' };
  const looking = lookUntilSeen({ clock, machine }, breakage, { look: async () => undefined, ...what });
  await clock.advance(seconds(61));
  return describeLine(await looking, paintFor({ write: () => undefined }, false));
};

test('what is not seen in its time is told with what the machine says instead', async () => {
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'NotReady', message: 'HostBootstrapped StepWaiting: tart' },
  ];
  const machine = async () => ({ status: { conditions } }) as unknown as ScalewayAppleSiliconMachine;
  assert.equal(
    await told(machine),
    '✗ not seen within 60 s: it is repaired; its machine says: HostBootstrapped StepWaiting: tart\n',
  );
  assert.equal(await told(async () => undefined), '✗ not seen within 60 s: it is repaired; its machine is gone\n');
});

test('I40 what is done to the pool of runners is told with what the pool says, for the machine is well', async () => {
  const machine = async () => undefined;
  const instead = async () => 'the pool has 1 of 2 idle';
  assert.equal(await told(machine, { instead }), '✗ not seen within 60 s: it is repaired; the pool has 1 of 2 idle\n');
});

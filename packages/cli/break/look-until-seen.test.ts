import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { Samm } from '../cluster/machines.ts';
import { paintFor } from '../terminal/paint.ts';
import { describeLine } from './describe-line.ts';
import { lookUntilSeen } from './look-until-seen.ts';

test('what is not seen in its time is told with what the machine says instead', async () => {
  const clock = fakeClock();
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'NotReady', message: 'HostBootstrapped StepWaiting: tart' },
  ];
  const machine = async () => ({ status: { conditions } }) as unknown as Samm;
  const breakage = { within: seconds(60), promise: 'it is repaired' };
  const looking = lookUntilSeen({ clock, machine }, breakage, { look: async () => undefined });
  await clock.advance(seconds(61));
  const paint = paintFor({ write: () => undefined }, false);
  assert.equal(
    describeLine(await looking, paint),
    '✗ not seen within 60 s: it is repaired; its machine says: HostBootstrapped StepWaiting: tart\n',
  );
});

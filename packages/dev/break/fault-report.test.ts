import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { paintFor } from '@minifleet/cli/terminal';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { InjectedFault } from '../incidents/incident.ts';
import { awaitOutcome, describeReport } from './fault-report.ts';

const reportOf = async (
  machine: () => Promise<ScalewayAppleSiliconMachine | undefined>,
  injected: Pick<InjectedFault, 'describeState'> = {},
): Promise<string> => {
  const clock = fakeClock();
  const fault = { within: seconds(60), expected: 'it is repaired' };
  const outcome = awaitOutcome({ clock, machine }, fault, { check: async () => undefined, ...injected });
  await clock.advance(seconds(61));
  return describeReport(await outcome, paintFor({ write: () => undefined }, false));
};

test('a missing reaction is reported with the Ready condition of the machine', async () => {
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'NotReady', message: 'HostBootstrapped StepWaiting: tart' },
  ];
  const machine = async () => ({ status: { conditions } }) as unknown as ScalewayAppleSiliconMachine;
  assert.equal(
    await reportOf(machine),
    '✗ not observed within 60 s: it is repaired; machine Ready=False: HostBootstrapped StepWaiting: tart\n',
  );
  assert.equal(
    await reportOf(async () => undefined),
    '✗ not observed within 60 s: it is repaired; the machine is gone\n',
  );
});

test('I40 a missing reaction of the runner pool is reported with the state of the pool', async () => {
  const machine = async () => undefined;
  const describeState = async () => 'the pool has 1 of 2 runners idle';
  assert.equal(
    await reportOf(machine, { describeState }),
    '✗ not observed within 60 s: it is repaired; the pool has 1 of 2 runners idle\n',
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { FaultEnv } from '../incidents/fault-target.ts';
import type { FaultOutcome, InjectedFault } from '../incidents/incident.ts';
import type { HostFault } from '../incidents/incidents.ts';
import { createFaultInjector } from './fault-injector.ts';

const machine = (name: string): ScalewayAppleSiliconMachine =>
  ({
    metadata: { namespace: 'default', name },
    spec: { fleetName: 'macos' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }) as ScalewayAppleSiliconMachine;

const hostFault = (id: string, given: Partial<HostFault & InjectedFault> = {}): HostFault => {
  const { check = async () => undefined, cleanUp, ...rest } = given;
  const inject = async (): Promise<InjectedFault> => ({ action: id, check, ...(cleanUp ? { cleanUp } : {}) });
  return { id, fault: id, fleets: ['macos'], expected: id, within: seconds(60), inject, ...rest };
};

function createInjector(hosts: readonly string[], faults: readonly HostFault[]) {
  const clock = fakeClock();
  const client = { list: async () => ({ items: hosts.map(machine) }), create: async () => ({}) };
  const injector = createFaultInjector({ clock, client } as unknown as FaultEnv, faults);
  const never = new AbortController().signal;
  return {
    clock,
    inject: (incident: string) => injector.break({ incident, wait: false }, () => undefined, never),
    mend: () => injector.mend({}, () => undefined, never),
  };
}

test('a late outcome of a reverted fault does not clean up the next fault of the host', async () => {
  const cleaned: string[] = [];
  let outcome: FaultOutcome | undefined;
  const { clock, inject, mend } = createInjector(
    ['macos-1'],
    [
      hostFault('I01', { check: async () => outcome, cleanUp: async () => void cleaned.push('I01') }),
      hostFault('I02', { cleanUp: async () => void cleaned.push('I02') }),
    ],
  );
  await inject('I01');
  await mend();
  await inject('I02');
  outcome = { repaired: 'at last' };
  await clock.advance(seconds(2));
  assert.deepEqual(cleaned, ['I01']);
});

test('I40 a fault that needs the runner pool is rejected while another fault uses it', async () => {
  const faults = [hostFault('I39', { needsPool: true }), hostFault('I40', { needsPool: true }), hostFault('I19')];
  const { inject, mend } = createInjector(['macos-1', 'macos-2', 'macos-3'], faults);
  await inject('I39');
  await assert.rejects(inject('I40'), {
    message:
      'I40 needs the runner pool, but I39 on macos-1 is using it; wait for its result, or end it with minifleet mend macos-1',
  });
  await inject('I19');
  await mend();
  await inject('I40');
});

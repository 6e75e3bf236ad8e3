import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import { fakeClock } from '@minifleet/clock/testing';
import { type ConditionNote, setCondition } from '@minifleet/kube';
import { machineNamed } from '../cluster-api/testing/machine-named.ts';
import { noted, passed, waiting } from '../machines/phase.ts';
import { readyFrom } from '../machines/ready.ts';
import type { PhaseResult } from '../machines/run-phases.ts';
import { fleetOf, phaseOf } from './machine-phase.ts';
import { fleetMachine } from './testing/fleet-machine.ts';

const clock = fakeClock();

/** A machine as its controller writes it: the conditions of the phases that were reached, and Ready made of them. */
function after(...reached: readonly PhaseResult[]): ScalewayAppleSiliconMachine {
  const machine = machineNamed('a');
  for (const { condition, end } of reached) {
    const status = end.kind === 'passed' ? 'True' : 'False';
    setCondition(machine, { type: condition, status, reason: end.reason, message: end.message ?? '' }, clock);
  }
  setCondition(machine, readyFrom(reached), clock);
  return machine;
}

const claimed: PhaseResult = { condition: 'HostClaimed', end: passed('HostClaimed') };
const retired: PhaseResult = { condition: 'OSImageCurrent', end: noted('ImageRetired', 'gone') };
const bootstrapped: PhaseResult = { condition: 'HostBootstrapped', end: passed('HostBootstrapped') };
const node: PhaseResult = { condition: 'NodeReady', end: passed('NodeReady') };
const noNode: PhaseResult = { condition: 'NodeReady', end: waiting('WaitingForNode', 'none yet') };
const host = (reason: string): PhaseResult => ({ condition: 'HostBootstrapped', end: noted(reason, 'words') });
const noHost: PhaseResult = { condition: 'HostClaimed', end: waiting('NoHostAvailable', 'none') };

const table: readonly (readonly [string, ScalewayAppleSiliconMachine, string, string])[] = [
  ['the provider has not reconciled it yet', machineNamed('a'), 'ClusterReady', 'NotSeenYet'],
  ['it waits for a host', after(noHost), 'HostClaimed', 'NoHostAvailable'],
  ['everything holds', after(claimed, bootstrapped, node), 'Ready', 'Ready'],
  ['it is Ready on an image that is retired', after(claimed, retired, node), 'Ready', 'ImageRetired'],
  ['it is Ready and not reached', after(retired, host('HostUnreachable'), node), 'Ready', 'HostUnreachable'],
  ['I32 a step failed for good under a Ready Node', after(host('StepFailed'), node), 'HostBootstrapped', 'StepFailed'],
  ['advice is not what it waits for', after(retired, host('StepWaiting'), noNode), 'NodeReady', 'WaitingForNode'],
];
for (const [when, machine, phase, reason] of table) {
  test(`${phase} ${reason}: ${when}`, () => assert.deepEqual(phaseOf(machine), { phase, reason }));
}

const noting = (machine: ScalewayAppleSiliconMachine, note: ConditionNote): ScalewayAppleSiliconMachine => {
  setCondition(machine, note, clock);
  return machine;
};

test('a machine that is Ready and paused is paused, and one that is being deleted is that above all', () => {
  const paused = noting(after(claimed, node), { type: 'Paused', status: 'True', reason: 'Paused' });
  assert.deepEqual(phaseOf(paused), { phase: 'Paused', reason: 'Paused' });
  const deleting = noting(paused, { type: 'Deleting', status: 'True', reason: 'ReturningHost' });
  assert.deepEqual(phaseOf(deleting), { phase: 'Deleting', reason: 'ReturningHost' });
});

test('a fleet is the MachineDeployment, or what the machine says where there is none', () => {
  assert.equal(fleetOf(fleetMachine('a', { fleet: 'runners-md' })), 'runners-md');
  assert.equal(fleetOf(machineNamed('a', { fleetName: 'runners' })), 'runners');
  assert.equal(fleetOf(machineNamed('a', { fleetName: '' })), '');
});

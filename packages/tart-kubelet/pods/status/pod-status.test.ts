import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestamp } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import type { Guest, GuestExit, GuestState } from '../../guests/guest.ts';
import { lastRun } from '../decide/last-run.ts';
import { desiredState, observedState } from '../decide/pod-table.ts';

import { type SpecChange, storedPod } from '../testing/pods-bench.ts';
import { podStatus, statusPatch } from './pod-status.ts';
import type { StatusInput } from './status-input.ts';

const NOW = Date.UTC(2030, 0, 1, 12);
const uid = '8f14e45f-ceea-467f-a0e6-000000000001';
const exit = (exitCode: number): GuestExit => ({
  exitCode,
  reason: exitCode === 0 ? 'Completed' : 'Error',
  message: '',
  startedAt: NOW - 60_000,
  finishedAt: NOW - 1_234,
});
const exited = (exitCode: number): GuestState => ({ phase: 'exited', exit: exit(exitCode) });
const running: GuestState = { phase: 'running', startedAt: NOW - 60_400, address: '192.168.64.3' };

const guest = (state: GuestState, attempt = 0): Guest =>
  ({ spec: { id: { uid, attempt }, image: 'registry.example/macos@sha256:abc' }, state }) as unknown as Guest;

interface Case extends Partial<StatusInput> {
  readonly change?: SpecChange;
  readonly metadata?: Partial<Pod['metadata']>;
  readonly status?: Pod['status'];
  readonly guests?: readonly Guest[];
}

function picture({ change, metadata, status, guests = [], ...more }: Case): StatusInput {
  const stored = storedPod('a', { restartPolicy: 'Always', ...change }, status ? { status } : {});
  const pod = { ...stored, metadata: { ...stored.metadata, ...metadata } };
  const run = lastRun(pod, guests, NOW);
  return {
    pod,
    run,
    desired: desiredState({ pod, exit: run?.exit, failure: more.failure, replaced: false }),
    observed: observedState({ run, launching: false, mustRestart: false }),
    lastExit: undefined,
    waiting: undefined,
    failure: undefined,
    probes: { started: true, ready: true },
    hostAddresses: ['10.0.0.1'],
    tornDown: false,
    now: NOW,
    ...more,
  };
}

const deleted = { deletionTimestamp: timestamp(NOW), deletionGracePeriodSeconds: 30 };
const never: SpecChange = { restartPolicy: 'Never' };

/** Situation, expected phase, container state, and reason of the Ready condition. */
const rows: readonly (readonly [string, Case, string, string, string | undefined])[] = [
  ['without a guest', {}, 'Pending', 'waiting ContainerCreating', 'ContainersNotReady'],
  [
    'that waits for a slot',
    { waiting: { reason: 'WaitingForVMSlot' } },
    'Pending',
    'waiting WaitingForVMSlot',
    'ContainersNotReady',
  ],
  [
    'with a guest being cloned',
    { guests: [guest({ phase: 'creating' })] },
    'Pending',
    'waiting ContainerCreating',
    'ContainersNotReady',
  ],
  [
    'with a booting guest',
    { guests: [guest({ phase: 'starting', since: NOW })] },
    'Pending',
    'waiting ContainerCreating',
    'ContainersNotReady',
  ],
  ['with a running guest', { guests: [guest(running)] }, 'Running', 'running', undefined],
  [
    'with a running guest whose readiness probe fails',
    { guests: [guest(running)], probes: { started: true, ready: false } },
    'Running',
    'running',
    'ContainersNotReady',
  ],
  [
    'with restartPolicy Never that succeeded',
    { change: never, guests: [guest(exited(0))] },
    'Succeeded',
    'terminated Completed',
    'PodCompleted',
  ],
  [
    'with restartPolicy Never that failed',
    { change: never, guests: [guest(exited(1))] },
    'Failed',
    'terminated Error',
    'PodFailed',
  ],
  [
    'with restartPolicy OnFailure that succeeded',
    { change: { restartPolicy: 'OnFailure' }, guests: [guest(exited(0))] },
    'Succeeded',
    'terminated Completed',
    'PodCompleted',
  ],
  [
    'with restartPolicy OnFailure that failed',
    { change: { restartPolicy: 'OnFailure' }, guests: [guest(exited(1))] },
    'Running',
    'terminated Error',
    'ContainersNotReady',
  ],
  [
    'with restartPolicy Always that succeeded',
    { guests: [guest(exited(0))] },
    'Running',
    'terminated Completed',
    'ContainersNotReady',
  ],
  [
    'in its back-off',
    { guests: [guest(exited(1))], waiting: { reason: 'CrashLoopBackOff' } },
    'Running',
    'waiting CrashLoopBackOff',
    'ContainersNotReady',
  ],
  [
    'whose next guest is being cloned',
    { guests: [guest({ phase: 'creating' }, 1)], lastExit: exit(1) },
    'Running',
    'waiting ContainerCreating',
    'ContainersNotReady',
  ],
  [
    'that is deleted with a running guest',
    { metadata: deleted, guests: [guest(running)] },
    'Running',
    'running',
    undefined,
  ],
  [
    'that is deleted and exited with 0',
    { metadata: deleted, guests: [guest(exited(0))] },
    'Succeeded',
    'terminated Completed',
    'PodCompleted',
  ],
  [
    'that is deleted and was killed',
    { metadata: deleted, guests: [guest(exited(137))] },
    'Failed',
    'terminated Error',
    'PodFailed',
  ],
  [
    'that is deleted before its start',
    { metadata: deleted },
    'Failed',
    'terminated ContainerStatusUnknown',
    'PodFailed',
  ],
  [
    'over its deadline with a running guest',
    { failure: { reason: 'DeadlineExceeded', message: 'm' }, guests: [guest(running)] },
    'Running',
    'running',
    undefined,
  ],
  [
    'over its deadline that exited with 0',
    { failure: { reason: 'DeadlineExceeded', message: 'm' }, guests: [guest(exited(0))] },
    'Failed',
    'terminated Completed',
    'PodFailed',
  ],
  [
    'that is rejected',
    { failure: { reason: 'HostPIDNotSupported', message: 'm', refused: true } },
    'Failed',
    'none',
    'PodFailed',
  ],
];

const stateOf = ({ containerStatuses: [container] = [] }: NonNullable<Pod['status']>): string => {
  const [kind, detail] = Object.entries(container?.state ?? { none: {} })[0] ?? ['none', {}];
  return [kind, (detail as { reason?: string })?.reason].filter(Boolean).join(' ');
};

for (const [name, given, phase, state, ready] of rows) {
  test(`the status of a Pod ${name} is ${phase}, ${state}`, () => {
    const status = podStatus(picture(given));
    assert.equal(status.phase, phase);
    assert.equal(stateOf(status), state);
    const condition = status.conditions?.find(({ type }) => type === 'Ready');
    assert.deepEqual([condition?.status, condition?.reason], [ready ? 'False' : 'True', ready]);
    for (const { observedGeneration } of status.conditions ?? []) assert.equal(observedGeneration, 1);
  });
}

test('a terminal Pod phase and its container status never change', () => {
  const settled = podStatus(picture({ change: never, guests: [guest(exited(3))] }));
  const later = podStatus(picture({ change: never, status: settled, metadata: { ...deleted, generation: 1 } }));
  assert.deepEqual([later.phase, later.containerStatuses], [settled.phase, settled.containerStatuses]);
});

test('a failed Pod has its reason only in a terminal phase', () => {
  const failure = { reason: 'DeadlineExceeded', message: 'm' };
  assert.equal(podStatus(picture({ failure, guests: [guest(running)] })).reason, undefined);
  assert.equal(podStatus(picture({ failure, guests: [guest(exited(0))] })).reason, 'DeadlineExceeded');
});

test('Pod status times are rounded to the second, so that an unchanged status compares equal', () => {
  const given: Case = { change: never, guests: [guest(exited(1))] };
  const status = podStatus(picture(given));
  assert.equal(status.containerStatuses?.[0]?.state?.terminated?.finishedAt, '2030-01-01T11:59:58Z');
  const again = podStatus({ ...picture({ ...given, status }), now: NOW + 60_000 });
  assert.equal(statusPatch(status, again), undefined);
});

test('a Pod condition keeps its transition time while its status is unchanged', () => {
  const before = podStatus(picture({ guests: [guest({ phase: 'starting', since: NOW })] }));
  const after = podStatus({ ...picture({ status: before, guests: [guest(running)] }), now: NOW + 5_000 });
  const find = (type: string) => after.conditions?.find(condition => condition.type === type);
  assert.equal(find('Initialized')?.lastTransitionTime, timestamp(NOW));
  assert.equal(find('Ready')?.lastTransitionTime, timestamp(NOW + 5_000));
  const patch = statusPatch(before, after) as { conditions: { type: string; reason?: string | null }[] };
  assert.equal(patch.conditions.find(({ type }) => type === 'Ready')?.reason, null);
});

test('the previous run of a container is its lastState', () => {
  const status = podStatus(picture({ guests: [guest(running, 2)], lastExit: exit(1) }));
  const [container] = status.containerStatuses ?? [];
  assert.equal(container?.restartCount, 2);
  assert.equal(container?.lastState?.terminated?.exitCode, 1);
  assert.equal(container?.lastState?.terminated?.containerID, `tart://pod-${uid}-1`);
});

test('a Pod with readiness gates is Ready only when all their conditions are True', () => {
  const change: SpecChange = { readinessGates: [{ conditionType: 'example.com/gate' }] };
  const closed = podStatus(picture({ change, guests: [guest(running)] }));
  const ready = closed.conditions?.find(({ type }) => type === 'Ready');
  assert.deepEqual([ready?.status, ready?.reason], ['False', 'ReadinessGatesNotReady']);
  const gate = { type: 'example.com/gate', status: 'True' } as const;
  const open = podStatus(picture({ change, guests: [guest(running)], status: { conditions: [gate] } }));
  assert.equal(open.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
});

test('hostIP and podIP contain only valid addresses', () => {
  const status = podStatus(
    picture({ hostAddresses: ['mac-1', '10.0.0.1'], guests: [guest({ ...running, address: 'unknown' })] }),
  );
  assert.deepEqual([status.hostIP, status.podIP], ['10.0.0.1', undefined]);
});

test('a resize of a running Pod is reported as Infeasible', () => {
  const change: SpecChange = { container: { resources: { limits: { cpu: '4' } } } };
  const status = podStatus(picture({ change, guests: [guest(running)] }));
  assert.equal(status.conditions?.find(({ type }) => type === 'PodResizePending')?.reason, 'Infeasible');
});

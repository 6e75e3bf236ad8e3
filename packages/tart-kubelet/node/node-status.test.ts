import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import type { Node } from '@minifleet/kube';
import { statusEvents } from './create-node.ts';

import { judgeNode } from './node-conditions.ts';
import { byteQuantity, newStatus, ownPart, statusPatch } from './node-status.ts';
import { createNewestNode, newNode, nodeCorrection, reportDue } from './own-node.ts';

import { factsForTests, settingsForTests, statusForTests, wellLooks } from './testing/node-for-tests.ts';

const NOW = Date.UTC(2030, 0, 1);
const live = (status: object = newStatus(statusForTests(), NOW), spec: object = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'mini-01', uid: 'u', resourceVersion: '5' },
  spec,
  status,
});

test('byteQuantity formats bytes as the API server returns them', () => {
  assert.deepEqual([17_179_869_184, 494_384_795_648, 1_536 * 1_024, 1_025, 0].map(byteQuantity), [
    '16Gi',
    '482797652Ki',
    '1536Ki',
    '1Ki',
    '0',
  ]);
});

test('the Node status contains every field that a kubelet reports', () => {
  const status = statusForTests({
    images: Array.from({ length: 60 }, (_, index) => ({ names: [`i${index}`], sizeBytes: 1 })),
  });
  assert.deepEqual(status.capacity, {
    cpu: '8',
    memory: '16Gi',
    pods: '110',
    'minifleet.dev/macos-vm': '2',
    'ephemeral-storage': '482797652Ki',
  });
  const reserved = { memory: '14Gi', 'ephemeral-storage': '400963454Ki' };
  assert.deepEqual(status.allocatable, { ...status.capacity, ...reserved }, 'macOS needs 2 GiB of the memory');
  assert.deepEqual(status.addresses, [
    { type: 'InternalIP', address: '10.32.0.9' },
    { type: 'Hostname', address: 'mini-01' },
  ]);
  assert.deepEqual(status.nodeInfo, {
    machineID: factsForTests.machineId,
    systemUUID: factsForTests.machineId,
    bootID: factsForTests.bootId,
    kernelVersion: '25.3.0',
    osImage: 'macOS 26.3 (25D125)',
    containerRuntimeVersion: 'tart://2.32.1',
    kubeletVersion: 'v1.36.4',
    kubeProxyVersion: '',
    operatingSystem: 'darwin',
    architecture: 'arm64',
  });
  assert.equal(status.images.length, 50);
  assert.deepEqual(status.declaredFeatures, ['GuaranteedQoSPodCPUResize', 'RestartAllContainersOnContainerExits']);
});

test('allocatable disk excludes 32 GiB for macOS and the tenth below which the Node has DiskPressure', () => {
  const allocatable = (diskBytes: number | undefined) => statusForTests({ diskBytes }).allocatable['ephemeral-storage'];
  assert.equal(allocatable(500 * 2 ** 30), '418Gi');
  assert.equal(allocatable(20 * 2 ** 30), '0', 'a volume smaller than the reserve');
  assert.equal(allocatable(undefined), undefined);
});

test('the CPU and memory flags override the capacity of the Mac', () => {
  const settings = settingsForTests({ hostCpu: 6, hostMemoryMegabytes: 12_288 });
  const { capacity } = statusForTests({ settings });
  assert.deepEqual([capacity['cpu'], capacity['memory']], ['6', '12Gi']);
});

test('I20 the provider ID is set at registration, patched when empty, and never overwritten', () => {
  const settings = settingsForTests();
  assert.equal(newNode(settings, {}).spec?.providerID, settings.providerId);
  const labels = newNode(settings, {}).metadata.labels ?? {};
  const labelled = (spec: object): Node => ({ ...live({}, spec), metadata: { name: 'mini-01', labels } });
  assert.deepEqual(nodeCorrection(labelled({}), settings), { spec: { providerID: settings.providerId } });
  assert.equal(nodeCorrection(labelled({ providerID: 'other://1' }), settings), undefined);
  assert.equal(nodeCorrection(labelled({}), settingsForTests({ providerId: undefined })), undefined);
});

test('missing Node labels are restored; foreign labels stay, also under tuist.dev', () => {
  const labels = {
    ...newNode(settingsForTests(), {}).metadata.labels,
    'tuist.dev/other': 'x',
    'tuist.dev/fleet': 'wrong',
  };
  const node: Node = { ...live({}, { providerID: 'x' }), metadata: { name: 'mini-01', labels } };
  assert.deepEqual(nodeCorrection(node, settingsForTests()), {
    metadata: { labels: { 'tuist.dev/fleet': 'runners' } },
  });
});

test('only a Node with a provider ID has the Cluster API uninitialized taint', () => {
  const keys = (providerId: string | undefined) =>
    newNode(settingsForTests({ providerId }), {}).spec?.taints?.map(({ key, effect }) => `${key}:${effect}`);
  assert.deepEqual(keys('a://b'), ['tuist.dev/macos:NoSchedule', 'node.cluster.x-k8s.io/uninitialized:NoSchedule']);
  assert.deepEqual(keys(undefined), ['tuist.dev/macos:NoSchedule']);
});

test('each Node status has a new heartbeat, and a new transition time only for a changed condition', () => {
  const findings = judgeNode({ ...wellLooks, guestsRecovered: false });
  const body = statusPatch(statusForTests({ findings }), live(), NOW + 60_000) as {
    status: { conditions: { type: string; lastHeartbeatTime: string; lastTransitionTime: string }[] };
  };
  for (const { type, lastHeartbeatTime, lastTransitionTime } of body.status.conditions) {
    assert.equal(lastHeartbeatTime, '2030-01-01T00:01:00Z');
    assert.equal(lastTransitionTime, type === 'Ready' ? '2030-01-01T00:01:00Z' : '2030-01-01T00:00:00Z', type);
  }
});

test('a foreign Node condition is no change of the agent’s status, but an overwritten one is', () => {
  const status = statusForTests();
  const [before, foreign, over] = [live(), live(), live()];
  foreign.status?.conditions?.push({ type: 'Foreign', status: 'True' });
  Object.assign(foreign.status?.capacity ?? {}, { 'example.com/gpu': '1' });
  Object.assign(over.status?.conditions?.find(({ type }) => type === 'Ready') ?? {}, { status: 'Unknown' });
  assert.equal(ownPart(foreign, status), ownPart(before, status));
  assert.notEqual(ownPart(over, status), ownPart(before, status));
});

test('a Node status report is due when it changed, was overwritten, or its interval has passed', () => {
  const last = { at: 1_000, sent: 'w', accepted: 'a' };
  const due = (more: object): boolean => reportDue(last, { at: 2_000, sent: 'w', live: 'a', ...more }, seconds(10));
  assert.deepEqual(
    [
      due({}),
      due({ sent: 'x' }),
      due({ live: 'x' }),
      due({ at: 11_000 }),
      reportDue(undefined, { at: 1, sent: '', live: '' }, seconds(1)),
    ],
    [false, true, true, true, true],
  );
});

test('a Node status report is due when the clock was set back', () =>
  assert.ok(reportDue({ at: 1_000_000, sent: 'w', accepted: 'a' }, { at: 5, sent: 'w', live: 'a' }, seconds(300))));

test('an older watch event does not replace the response to the agent’s own Node write', () => {
  const newest = createNewestNode();
  const version = (resourceVersion: string, uid = 'u'): Node => ({
    ...live(),
    metadata: { name: 'n', uid, resourceVersion },
  });
  newest.observe(version('10'));
  newest.observe(version('9'));
  assert.equal(newest.current?.metadata.resourceVersion, '10');
  newest.markDeleted('another');
  assert.ok(newest.current);
  newest.markDeleted('u');
  assert.equal(newest.current, undefined);
});

test('a reboot of the Mac emits the Rebooted event of a kubelet', () => {
  const booted = (bootId: string): Node =>
    live(newStatus(statusForTests({ facts: { ...factsForTests, bootId } }), NOW));
  const events = statusEvents(booted('one'), booted('two')).map(
    ({ type, reason, note }) => `${type} ${reason} ${note}`,
  );
  assert.deepEqual(events, ['Warning Rebooted Node mini-01 has been rebooted, boot id: two']);
});

test('each change of ForeignVMs emits one event', () => {
  const withVms = (...vms: readonly { name: string; running: boolean }[]): Node => {
    const findings = judgeNode({ ...wellLooks, vms: vms.map(vm => ({ ...vm, bytes: 0 })) });
    return live(newStatus(statusForTests({ findings }), NOW));
  };
  const story = [
    withVms(),
    withVms({ name: 'packer', running: false }),
    withVms({ name: 'packer', running: true }),
    withVms({ name: 'packer', running: true }, { name: 'base', running: false }),
    withVms({ name: 'packer', running: false }),
    withVms(),
  ];
  const transitions = story.slice(1).map((after, index) => statusEvents(story[index], after));
  assert.deepEqual(
    transitions.map(events => events.map(({ type, reason }) => `${type} ${reason}`).join()),
    ['Warning ForeignVMsStopped', 'Warning ForeignVMsRunning', '', 'Warning ForeignVMsStopped', 'Normal NoForeignVMs'],
  );
  assert.match(transitions[1]?.[0]?.note ?? '', /^ForeignVMs is True: 1 of 2 VM slots are used .*: packer$/);
});

test('a Node condition that becomes unhealthy or healthy emits an event, unless it was unknown before', () => {
  const well = live();
  const ill = live(newStatus(statusForTests({ findings: judgeNode({ ...wellLooks, guestsRecovered: false }) }), NOW));
  const seen = (before: Node | undefined, after: Node): string[] =>
    statusEvents(before, after).map(({ type, reason, note }) => `${type} ${reason} ${note}`);
  assert.deepEqual(seen(well, ill), ['Warning NodeNotReady Ready is False: guests are still being recovered']);
  assert.deepEqual(seen(ill, well), ['Normal NodeReady Ready is True: kubelet is posting ready status']);
  assert.deepEqual(seen(undefined, ill), []);
  assert.deepEqual(seen(well, well), []);
});

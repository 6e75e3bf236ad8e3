import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { finalizers, labels, podConditions } from '../names.ts';
import { judgeStuckPod, planUnstick, type StuckPodDecision } from './judge-stuck-pod.ts';

import type { ObservedNode, ObservedPod } from './observed-pod.ts';

const MINUTE = 60_000;
const now = Date.parse('2026-05-19T12:00:00Z');
const ago = (minutes: number): string => new Date(now - minutes * MINUTE).toISOString();

type Status = NonNullable<ObservedPod['status']>;

const running: Status = { phase: 'Running', startTime: ago(99), containerStatuses: [{ state: {} }] };
const ended: Status = { phase: 'Succeeded', startTime: ago(99), containerStatuses: [{ state: { terminated: {} } }] };
const finished: Status = { ...ended, conditions: [{ type: podConditions.finished, status: 'True' }] };

const held = (status: Status, minutes = 60): ObservedPod => ({
  metadata: { deletionTimestamp: ago(minutes), finalizers: [finalizers.vmCleanup] },
  spec: { nodeName: 'mac-1' },
  status,
});

const node = (of: Readonly<Record<string, string>>, ready = 'True'): ObservedNode => ({
  metadata: { labels: of },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const tart = { [labels.runtime]: 'tart' };
const withAgent = { ...tart, [labels.agentVersion]: '0.1.0' };
const ours = node(withAgent);
const oursLost = node(withAgent, 'Unknown');
const older = node(tart);
const olderLost = node(tart, 'Unknown');
const linux = node({});

const release = (why: string) => ({ kind: 'release', why });
const keep = (why: string) => ({ kind: 'keep', why });
const stuck = (cause: string) => ({ kind: 'stuck', cause });

const judge = (pod: ObservedPod, on: ObservedNode | undefined): StuckPodDecision =>
  judgeStuckPod({ pod, node: on, now, stuckAfter: 10 * MINUTE });

const without = (pod: ObservedPod, what: Partial<ObservedPod['metadata']>): ObservedPod => ({
  ...pod,
  metadata: { ...pod.metadata, ...what },
});

const table: readonly [string, ObservedPod, ObservedNode | undefined, object][] = [
  [
    'a Pod that is not being deleted',
    without(held(ended), { deletionTimestamp: undefined }),
    ours,
    keep('NotDeleting'),
  ],
  ['the agent reports the Pod finished', held(finished, 0), ours, release('Finished')],
  ['the agent reported the Pod finished, then the Node was lost', held(finished), oursLost, release('Finished')],
  ['the Pod was never bound', { ...held({}), spec: {} }, undefined, release('NeverBound')],
  ['the Node of the Pod does not exist', held(running), undefined, release('NodeGone')],
  ['I10 the VM ended on a Node with the older agent', held(ended), older, release('VMEnded')],
  ['I10 the VM ended, then the Node with the older agent was lost', held(ended), olderLost, release('VMEnded')],
  ['the VM ended a moment ago', held(ended, 1), older, keep('Terminating')],
  ['the VM failed', held({ ...ended, phase: 'Failed' }), older, release('VMEnded')],
  ['phase Failed without a container status', held({ phase: 'Failed', startTime: ago(99) }), older, stuck('VMMayRun')],
  ['phase Failed with a running container', held({ ...running, phase: 'Failed' }), olderLost, stuck('NodeNotReady')],
  ['phase Succeeded with a running container', held({ ...running, phase: 'Succeeded' }), older, stuck('VMMayRun')],
  ['phase Succeeded without containers', held({ phase: 'Succeeded' }), older, release('VMEnded')],
  ['the agent never started the Pod', held({ phase: 'Pending' }), ours, release('NeverStarted')],
  ['the Pod was bound a moment ago', held({ phase: 'Pending' }, 1), ours, keep('Terminating')],
  ['the Pod never started, and its Node is lost', held({ phase: 'Pending' }), oursLost, stuck('NodeNotReady')],
  ['the Pod never started on a Node with the older agent', held({ phase: 'Pending' }), older, stuck('VMMayRun')],
  ['the Pod runs', held(running), ours, stuck('VMMayRun')],
  ['the Pod runs and was deleted a moment ago', held(running, 1), ours, keep('Terminating')],
  ['the Pod may run on a lost Node', held(running), oursLost, stuck('NodeNotReady')],
  ['the Node is not a Minifleet Node', held(ended), linux, stuck('ForeignNode')],
  [
    'no finalizer, on a Node that is not a Minifleet Node',
    without(held(running), { finalizers: [] }),
    linux,
    keep('NotOurs'),
  ],
  ['no finalizer and no Node', without(held(running), { finalizers: [] }), undefined, keep('NotOurs')],
  ['no finalizer, deleted a moment ago', without(held(running, 1), { finalizers: [] }), ours, keep('Terminating')],
  ['no finalizer, deleted long ago', without(held(running), { finalizers: [] }), ours, stuck('VMMayRun')],
  ['no finalizer, on a lost Node', without(held(running), { finalizers: [] }), oursLost, stuck('NodeNotReady')],
  [
    'a finalizer of another controller',
    without(held(finished), { finalizers: ['others.dev/x'] }),
    ours,
    stuck('OtherFinalizer'),
  ],
];

describe('judgeStuckPod', () => {
  for (const [name, pod, on, verdict] of table) {
    test(`judgeStuckPod: ${name}: ${Object.values(verdict).join(' ')}`, () =>
      assert.deepEqual(judge(pod, on), verdict));
  }

  test('a stuck Pod is never released while its VM may run', () => {
    const phases = [undefined, 'Pending', 'Running', 'Failed', 'Succeeded', 'Unknown'];
    const agents = [ours, oursLost, older, olderLost, linux];
    for (const phase of phases) {
      for (const on of agents) {
        const pod = held({ ...running, ...(phase === undefined ? {} : { phase }) }, 10_000);
        assert.notEqual(judge(pod, on).kind, 'release', `${phase} ${JSON.stringify(on)}`);
      }
    }
  });
});

test('I10 planUnstick returns released and stuck Pods, and omits Pods of other Nodes', () => {
  const named = { ...older, metadata: { ...older.metadata, name: 'mac-1' } };
  const pods = [
    ...Array.from({ length: 504 }, () => held(ended)),
    held(running),
    without(held(ended), { deletionTimestamp: undefined }),
    { ...held(running), spec: { nodeName: 'mac-2' } },
  ];
  const plan = planUnstick({ pods, nodes: [named], now, stuckAfter: 10 * MINUTE });
  const count = (wanted: string) => plan.filter(({ verdict }) => JSON.stringify(verdict).includes(wanted)).length;
  assert.deepEqual([count('VMEnded'), count('VMMayRun'), count('NodeGone'), plan.length], [504, 1, 1, 506]);
});

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
const withOurAgent = { ...tart, [labels.agentVersion]: '0.1.0' };
const ours = node(withOurAgent);
const oursLost = node(withOurAgent, 'Unknown');
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
  ['nobody deletes it', without(held(ended), { deletionTimestamp: undefined }), ours, keep('NotDeleting')],
  ['the agent says it is finished, at once', held(finished, 0), ours, release('Finished')],
  ['the agent said so and was lost', held(finished), oursLost, release('Finished')],
  ['it was never bound', { ...held({}), spec: {} }, undefined, release('NeverBound')],
  ['its Node is gone', held(running), undefined, release('NodeGone')],
  ['I10 its VM has ended under the older agent', held(ended), older, release('VMEnded')],
  ['I10 its VM has ended, and the older agent is lost since', held(ended), olderLost, release('VMEnded')],
  ['its VM has ended a moment ago: the agent clears up', held(ended, 1), older, keep('Terminating')],
  ['its VM has ended as a failure', held({ ...ended, phase: 'Failed' }), older, release('VMEnded')],
  [
    'Failed, and no container status confirms it',
    held({ phase: 'Failed', startTime: ago(99) }),
    older,
    stuck('VMMayRun'),
  ],
  ['Failed, and a container runs', held({ ...running, phase: 'Failed' }), olderLost, stuck('NodeNotReady')],
  ['Succeeded, and a container runs', held({ ...running, phase: 'Succeeded' }), older, stuck('VMMayRun')],
  ['Succeeded without containers', held({ phase: 'Succeeded' }), older, release('VMEnded')],
  ['our agent never took it up', held({ phase: 'Pending' }), ours, release('NeverStarted')],
  ['our agent had no time to take it up', held({ phase: 'Pending' }, 1), ours, keep('Terminating')],
  ['nobody took it up, and our agent is cut off', held({ phase: 'Pending' }), oursLost, stuck('NodeNotReady')],
  ['nobody took it up, under the older agent', held({ phase: 'Pending' }), older, stuck('VMMayRun')],
  ['it began and runs', held(running), ours, stuck('VMMayRun')],
  ['it runs, for a moment longer', held(running, 1), ours, keep('Terminating')],
  ['it may run on a lost host', held(running), oursLost, stuck('NodeNotReady')],
  ['its Node is somebody else’s', held(ended), linux, stuck('ForeignNode')],
  ['no finalizer, on somebody else’s Node', without(held(running), { finalizers: [] }), linux, keep('NotOurs')],
  ['no finalizer and no Node', without(held(running), { finalizers: [] }), undefined, keep('NotOurs')],
  ['no finalizer, and it ends', without(held(running, 1), { finalizers: [] }), ours, keep('Terminating')],
  ['no finalizer, and it does not end', without(held(running), { finalizers: [] }), ours, stuck('VMMayRun')],
  ['no finalizer, and its host is lost', without(held(running), { finalizers: [] }), oursLost, stuck('NodeNotReady')],
  ['a finalizer of others', without(held(finished), { finalizers: ['others.dev/x'] }), ours, stuck('OtherFinalizer')],
];

describe('a Pod that is being deleted', () => {
  for (const [name, pod, on, verdict] of table) {
    test(`${name}: ${Object.values(verdict).join(' ')}`, () => assert.deepEqual(judge(pod, on), verdict));
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

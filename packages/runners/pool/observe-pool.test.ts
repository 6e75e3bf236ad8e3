import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import type { Node } from '@minifleet/kube';
import { NOW, podOf, runnerOf } from '../testing/seen.ts';
import { stuckPods } from './observe-pool.ts';

const node: Node = {
  ...{ apiVersion: 'v1', kind: 'Node' },
  metadata: { name: 'mac-1', labels: { [names.labels.runtime]: 'tart', [names.labels.agentVersion]: '0.1.0' } },
  status: { conditions: [{ type: 'Ready', status: 'False' }] },
};
const look = (deletedAt: number, more: { finalizers?: string[]; nodeGone?: boolean } = {}) => {
  const { finalizers } = more;
  const pod = podOf({ node: 'mac-1', deletedAt, ...(finalizers ? { finalizers } : {}) });
  return stuckPods({
    runners: [runnerOf('terminating', { pod })],
    nodeOf: () => (more.nodeGone ? undefined : node),
    ...{ stuckAfter: minutes(5), now: NOW },
  }).get('a');
};

test('I10 an overdue Terminating Pod is reported with its cause', () => {
  assert.match(look(NOW - minutes(6)) ?? '', /the Node is not Ready/);
  assert.match(look(NOW - minutes(6), { finalizers: ['example.com/hold'] }) ?? '', /example\.com\/hold/);
  assert.match(look(NOW - minutes(6), { nodeGone: true }) ?? '', /its Node no longer exists/);
});

test('a Terminating Pod within its grace period is not reported', () => {
  assert.equal(look(NOW - minutes(4)), undefined);
});

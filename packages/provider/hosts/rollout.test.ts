import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RolloutHost, rolloutPermission } from './rollout.ts';

const rolloutHost = (name: string, more: Partial<RolloutHost> = {}): RolloutHost => ({
  name,
  desired: 'new',
  applied: 'old',
  failed: undefined,
  serves: true,
  working: false,
  failingStep: undefined,
  postponed: false,
  responds: true,
  nodeReady: true,
  ...more,
});
const rolled = { applied: 'new' };

interface Row {
  readonly name: string;
  readonly hosts: readonly RolloutHost[];
  readonly host: string;
  readonly maxUnavailable?: number;
  /** `go`, or the reason of the wait. */
  readonly says: 'go' | RegExp;
}

const older = { applied: undefined, nodeReady: false };
const joined = { applied: undefined, postponed: true };

const rows: readonly Row[] = [
  {
    name: 'a host of the previous system does not wait for the VMs of the canary',
    hosts: [rolloutHost('a', joined), rolloutHost('b', older)],
    host: 'b',
    says: 'go',
  },
  {
    name: 'a host of the previous system waits until the agent of the canary has joined',
    hosts: [rolloutHost('a', { ...joined, nodeReady: false }), rolloutHost('b', older)],
    host: 'b',
    says: /^a is updated first$/,
  },
  {
    name: 'the postponed steps of a host of the previous system wait for the canary',
    hosts: [rolloutHost('a', joined), rolloutHost('b', joined)],
    host: 'b',
    says: /^a is updated first$/,
  },
  {
    name: 'a host with an earlier plan waits for the postponed steps of the canary',
    hosts: [rolloutHost('a', { postponed: true }), rolloutHost('b')],
    host: 'b',
    says: /^a is updated first$/,
  },
  { name: 'the only host of a fleet has permission', hosts: [rolloutHost('a')], host: 'a', says: 'go' },
  { name: 'the first host by name is the canary', hosts: [rolloutHost('b'), rolloutHost('a')], host: 'a', says: 'go' },
  {
    name: 'the other hosts wait for the canary',
    hosts: [rolloutHost('b'), rolloutHost('a')],
    host: 'b',
    says: /^a is updated first$/,
  },
  {
    name: 'a host that already works on the plan is the canary',
    hosts: [rolloutHost('a'), rolloutHost('b', { working: true })],
    host: 'a',
    says: /^b is updated first$/,
  },
  {
    name: 'a host whose job has just started is the canary, even before it has written its plan',
    hosts: [rolloutHost('a'), rolloutHost('b', { working: true, desired: 'old' })],
    host: 'a',
    maxUnavailable: 9,
    says: /^b is updated first$/,
  },
  {
    name: 'a host that does not respond is not the canary',
    hosts: [rolloutHost('a', { responds: false }), rolloutHost('b')],
    host: 'b',
    says: 'go',
  },
  {
    name: 'a host with another desired plan is not the canary',
    hosts: [rolloutHost('a', { desired: 'old' }), rolloutHost('b')],
    host: 'b',
    says: 'go',
  },
  {
    name: 'the other hosts wait until the Node of the canary is Ready',
    hosts: [rolloutHost('a', { ...rolled, nodeReady: false }), rolloutHost('b')],
    host: 'b',
    says: /^a is updated first$/,
  },
  {
    name: 'the other hosts follow a Ready canary',
    hosts: [rolloutHost('a', rolled), rolloutHost('b')],
    host: 'b',
    says: 'go',
  },
  {
    name: 'no more than maxUnavailable hosts are updated at a time',
    hosts: [rolloutHost('a', rolled), rolloutHost('b', { working: true }), rolloutHost('c')],
    host: 'c',
    says: /^waiting for b to become Ready$/,
  },
  {
    name: 'maxUnavailable hosts are updated at a time',
    hosts: [rolloutHost('a', rolled), rolloutHost('b', { working: true }), rolloutHost('c')],
    host: 'c',
    maxUnavailable: 2,
    says: 'go',
  },
  {
    name: 'an updated host whose Node is not Ready counts as unavailable',
    hosts: [rolloutHost('a', rolled), rolloutHost('b', { ...rolled, nodeReady: false }), rolloutHost('c')],
    host: 'c',
    says: /^waiting for b to become Ready$/,
  },
  {
    name: 'a host that never served does not count as unavailable',
    hosts: [
      rolloutHost('a', rolled),
      rolloutHost('b', { serves: false, applied: undefined, working: true }),
      rolloutHost('c'),
    ],
    host: 'c',
    says: 'go',
  },
  {
    name: 'a new host that was bootstrapped with the plan has proven it',
    hosts: [rolloutHost('a'), rolloutHost('z', rolled)],
    host: 'a',
    says: 'go',
  },
  {
    name: 'one failure halts the rollout, and the reason names the host',
    hosts: [rolloutHost('a', rolled), rolloutHost('b', { failed: 'new' }), rolloutHost('c')],
    host: 'c',
    maxUnavailable: 9,
    says: /^rollout halted: b failed with this plan$/,
  },
  {
    name: 'the failure of an older plan halts no rollout',
    hosts: [rolloutHost('a', rolled), rolloutHost('b', { failed: 'older' }), rolloutHost('c')],
    host: 'c',
    says: 'go',
  },
  {
    name: 'the failure of a host that never served halts no rollout',
    hosts: [
      rolloutHost('a', rolled),
      rolloutHost('b', { serves: false, failed: 'new', failingStep: 'sudo' }),
      rolloutHost('c'),
    ],
    host: 'c',
    says: 'go',
  },
  {
    name: 'no other host starts while a step fails on one host',
    hosts: [rolloutHost('a', { failingStep: 'tart' }), rolloutHost('b')],
    host: 'b',
    says: /^a is stuck at step tart$/,
  },
  {
    name: 'a host with a failing step continues',
    hosts: [rolloutHost('a'), rolloutHost('b', { failingStep: 'tart' })],
    host: 'b',
    says: 'go',
  },
  {
    name: 'two hosts with failing steps do not wait for each other',
    hosts: [rolloutHost('a', { failingStep: 'tart' }), rolloutHost('b', { failingStep: 'tart' })],
    host: 'b',
    says: 'go',
  },
  {
    name: 'maxUnavailable 0 counts as 1',
    hosts: [rolloutHost('a')],
    host: 'a',
    maxUnavailable: 0,
    says: 'go',
  },
];

for (const { name, hosts, host, maxUnavailable = 1, says } of rows) {
  test(`rollout: ${name}`, () => {
    const permission = rolloutPermission({ hosts, name: host, wave: 'new', maxUnavailable });
    if (says === 'go') assert.deepEqual(permission, { go: true });
    else assert.match(permission.go ? 'go' : permission.why, says);
  });
}

test('a rollout updates every host of the fleet, one at a time', () => {
  let hosts = ['d', 'b', 'c', 'a'].map(name => rolloutHost(name));
  const order: string[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const willing = hosts.filter(
      ({ name, applied, working }) =>
        applied !== 'new' && !working && rolloutPermission({ hosts, name, wave: 'new', maxUnavailable: 1 }).go,
    );
    assert.ok(hosts.filter(({ working }) => working).length + (willing.length > 0 ? 1 : 0) <= 1);
    const [next] = willing;
    hosts = hosts.map(one => {
      if (one.working) return { ...one, working: false, ...rolled };
      return one === next ? { ...one, working: true } : one;
    });
    if (next) order.push(next.name);
  }
  assert.equal(order[0], 'a');
  assert.deepEqual(order.toSorted(), ['a', 'b', 'c', 'd']);
});

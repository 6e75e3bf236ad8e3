import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FleetHost, rollPermission } from './roll-permission.ts';

const host = (name: string, more: Partial<FleetHost> = {}): FleetHost => ({
  name,
  desired: 'new',
  applied: 'old',
  failed: undefined,
  serves: true,
  working: false,
  stuckAt: undefined,
  answers: true,
  nodeReady: true,
  ...more,
});
const rolled = { applied: 'new' };

interface Row {
  readonly name: string;
  readonly hosts: readonly FleetHost[];
  readonly me: string;
  readonly maxUnavailable?: number;
  /** `go`, or the words of the wait. */
  readonly says: 'go' | RegExp;
}

const rows: readonly Row[] = [
  { name: 'a host alone goes', hosts: [host('a')], me: 'a', says: 'go' },
  { name: 'the first by name goes first', hosts: [host('b'), host('a')], me: 'a', says: 'go' },
  { name: 'the others wait for it', hosts: [host('b'), host('a')], me: 'b', says: /^a is updated first$/ },
  {
    name: 'whoever is at it is the first',
    hosts: [host('a'), host('b', { working: true })],
    me: 'a',
    says: /^b is updated first$/,
  },
  {
    name: 'also when it has not written down yet with what it is at',
    hosts: [host('a'), host('b', { working: true, desired: 'old' })],
    me: 'a',
    maxUnavailable: 9,
    says: /^b is updated first$/,
  },
  {
    name: 'a host that cannot be reached is not waited for',
    hosts: [host('a', { answers: false }), host('b')],
    me: 'b',
    says: 'go',
  },
  {
    name: 'a host that wants another plan is not waited for',
    hosts: [host('a', { desired: 'old' }), host('b')],
    me: 'b',
    says: 'go',
  },
  {
    name: 'the others wait until the Node of the first is Ready',
    hosts: [host('a', { ...rolled, nodeReady: false }), host('b')],
    me: 'b',
    says: /^a is updated first$/,
  },
  { name: 'then they follow', hosts: [host('a', rolled), host('b')], me: 'b', says: 'go' },
  {
    name: 'not more than are allowed at once',
    hosts: [host('a', rolled), host('b', { working: true }), host('c')],
    me: 'c',
    says: /^waiting for b to become Ready$/,
  },
  {
    name: 'as many as are allowed at once',
    hosts: [host('a', rolled), host('b', { working: true }), host('c')],
    me: 'c',
    maxUnavailable: 2,
    says: 'go',
  },
  {
    name: 'one that was rolled and is not back counts',
    hosts: [host('a', rolled), host('b', { ...rolled, nodeReady: false }), host('c')],
    me: 'c',
    says: /^waiting for b to become Ready$/,
  },
  {
    name: 'one that is bootstrapped for the first time serves nobody and does not count',
    hosts: [host('a', rolled), host('b', { serves: false, applied: undefined, working: true }), host('c')],
    me: 'c',
    says: 'go',
  },
  {
    name: 'a fresh host that came up with the plan has proven it',
    hosts: [host('a'), host('z', rolled)],
    me: 'a',
    says: 'go',
  },
  {
    name: 'one failure halts the roll and is named',
    hosts: [host('a', rolled), host('b', { failed: 'new' }), host('c')],
    me: 'c',
    maxUnavailable: 9,
    says: /^rollout halted: b failed with this plan$/,
  },
  {
    name: 'a failure of a plan that nobody wants any more halts nothing',
    hosts: [host('a', rolled), host('b', { failed: 'older' }), host('c')],
    me: 'c',
    says: 'go',
  },
  {
    name: 'the troubles of a fresh host halt nothing',
    hosts: [host('a', rolled), host('b', { serves: false, failed: 'new', stuckAt: 'sudo' }), host('c')],
    me: 'c',
    says: 'go',
  },
  {
    name: 'nobody else begins while one is stuck at a step',
    hosts: [host('a', { stuckAt: 'tart' }), host('b')],
    me: 'b',
    says: /^a is stuck at step tart$/,
  },
  { name: 'the stuck one goes on', hosts: [host('a'), host('b', { stuckAt: 'tart' })], me: 'b', says: 'go' },
  {
    name: 'two stuck ones do not wait for each other',
    hosts: [host('a', { stuckAt: 'tart' }), host('b', { stuckAt: 'tart' })],
    me: 'b',
    says: 'go',
  },
  {
    name: 'at most 0 is at most 1, or nothing would ever roll',
    hosts: [host('a')],
    me: 'a',
    maxUnavailable: 0,
    says: 'go',
  },
];

for (const { name, hosts, me, maxUnavailable = 1, says } of rows) {
  test(name, () => {
    const permission = rollPermission({ hosts, me, wave: 'new', maxUnavailable });
    if (says === 'go') assert.deepEqual(permission, { go: true });
    else assert.match(permission.go ? 'go' : permission.why, says);
  });
}

test('played to its end, a roll takes every host, one at a time after the first, and comes to rest', () => {
  let hosts = ['d', 'b', 'c', 'a'].map(name => host(name));
  const order: string[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const willing = hosts.filter(
      ({ name, applied, working }) =>
        applied !== 'new' && !working && rollPermission({ hosts, me: name, wave: 'new', maxUnavailable: 1 }).go,
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

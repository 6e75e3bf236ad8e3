import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostClaim } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import type { Server } from '@minifleet/vendors';
import { memoryId, memoryServer, SEQUOIA } from '@minifleet/vendors/testing';
import { chooseHosts, type Demand } from './choose-host.ts';

const now = Date.UTC(2030, 0, 1);
const demand: Demand = {
  prefix: 'tuist-pool-',
  spec: { zone: 'fr-par-1', type: 'M2-L', os: 'macos-tahoe-26.3' },
  clusterId: 'here',
  now,
};
const host = (number: number, said: Partial<Server> = {}) =>
  memoryServer(number, { name: `tuist-pool-${number}`, ...said });
const machineRef = { namespace: 'fleet', name: 'a', uid: 'a' };

function claim(
  number: number,
  { spec = {}, ...said }: { spec?: Partial<HostClaim['spec']>; status?: HostClaim['status']; deleting?: boolean },
): HostClaim {
  const { status, deleting } = said;
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'HostClaim',
    metadata: { name: memoryId(number), ...(deleting ? { deletionTimestamp: timestamp(now) } : {}) },
    spec: { zone: 'fr-par-1', claimEpoch: 1, ...spec },
    ...(status ? { status } : {}),
  };
}

const choose = (servers: readonly Server[], claims: readonly HostClaim[] = []) =>
  chooseHosts(demand, servers, id => claims.find(({ metadata }) => metadata.name === id));
const numbers = (servers: readonly Server[]) => servers.map(({ id }) => Number(id.slice(-3)));
const failed = (count: number, lastTime: number) => ({
  failures: [{ step: 'sudo', reason: 'StepFailed', count, lastTime: timestamp(lastTime) }],
});
const put = (until?: number) => ({
  quarantine: { since: timestamp(now), reasons: ['X'], ...(until === undefined ? {} : { until: timestamp(until) }) },
});

describe('a host is passed over when', () => {
  const table: readonly (readonly [string, Server, HostClaim | undefined, string])[] = [
    ['it is of another type', host(1, { type: 'M1-M' }), undefined, '1 host, 1 of another type'],
    ['it runs another macOS', host(1, { image: SEQUOIA }), undefined, '1 host, 1 of another macOS family'],
    ['the vendor is busy with it', host(1, { state: 'busy' }), undefined, '1 host, 1 busy'],
    ['it is broken', host(1, { state: 'broken' }), undefined, '1 host, 1 broken'],
    ['a machine holds it', host(1), claim(1, { spec: { machineRef } }), '1 host, 1 held'],
    ['a person put it aside', host(1), claim(1, { spec: { quarantine: { reason: 'x' } } }), '1 host, 1 quarantined'],
    ['it is in quarantine', host(1), claim(1, { status: put(now + 1_000) }), '1 host, 1 quarantined'],
    ['it is in quarantine until a person looks', host(1), claim(1, { status: put() }), '1 host, 1 quarantined'],
    ['another cluster claims it', host(1), claim(1, { spec: { clusterID: 'there' } }), '1 claimed by another cluster'],
    ['its claim is being let go', host(1), claim(1, { deleting: true }), '1 host, 1 being released'],
    ['it bears no name of the pool', host(1, { name: 'runners-1' }), undefined, 'has no hosts'],
    [
      'it is pending and yet held',
      host(1, { name: 'tuist-claim-pending-1' }),
      claim(1, { spec: { machineRef } }),
      'has no hosts',
    ],
  ];
  for (const [when, server, kept, why] of table) {
    test(when, () => {
      const choice = choose([server], kept ? [kept] : []);
      assert.deepEqual(choice.hosts, []);
      assert.ok(choice.why.endsWith(why), choice.why);
    });
  }
});

describe('a host is taken when', () => {
  const table: readonly (readonly [string, Server, HostClaim | undefined])[] = [
    ['it is free', host(1), undefined],
    [
      'its image is of the family, though not the same (I31)',
      host(1, { image: { ...SEQUOIA, name: 'macos-tahoe-26.4', family: 'Tahoe' } }),
      undefined,
    ],
    ['the older system left it in the middle of a claim', host(1, { name: 'tuist-claim-pending-1' }), undefined],
    ['its quarantine is over', host(1), claim(1, { status: put(now) })],
  ];
  for (const [when, server, kept] of table) {
    test(when, () => assert.deepEqual(numbers(choose([server], kept ? [kept] : []).hosts), [1]));
  }
});

test('the sentence counts why each host was passed over', () => {
  const servers = [host(1, { type: 'M1-M' }), host(2), host(3), host(4, { name: 'other' })];
  const claims = [claim(2, { status: put() }), claim(3, { spec: { machineRef } })];
  assert.equal(
    choose(servers, claims).why,
    'pool tuist-pool- in fr-par-1: 3 hosts, 1 held, 1 of another type, 1 quarantined',
  );
});

test('the host that failed least comes first, then the one that failed longest ago, then by id', () => {
  const claims = [
    claim(1, { status: failed(3, now - 9) }),
    claim(2, { status: failed(1, now - 60_000) }),
    claim(3, { status: failed(1, now - 120_000) }),
  ];
  const chosen = choose([host(5), host(2), host(1), host(4), host(3)], claims).hosts;
  assert.deepEqual(numbers(chosen), [4, 5, 3, 2, 1]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MacHost, type MacHostStatus, macHost } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';
import { chooseMacHosts, type HostRequirements } from './choose-mac-host.ts';

const now = Date.UTC(2030, 0, 1);
const required: HostRequirements = {
  pool: 'tuist-pool-',
  zone: 'fr-par-1',
  type: 'M2-L',
  os: 'macos-tahoe-26.3',
  clusterId: 'here',
  now,
};
const consumerRef = { apiGroup: 'g', kind: 'ScalewayAppleSiliconMachine', namespace: 'fleet', name: 'a', uid: 'a' };

function host(
  number: number,
  { status = {}, ...spec }: { status?: MacHostStatus; [field: string]: unknown } = {},
): MacHost {
  const observed: MacHostStatus = {
    state: 'Available',
    vendorName: `tuist-pool-${number}`,
    vendorState: 'Ready',
    hardware: { type: 'M2-L', macOS: 'macos-tahoe-26.3' },
    ...status,
  };
  return macHost.withDefaults({
    apiVersion: macHost.apiVersion,
    kind: 'MacHost',
    metadata: { name: memoryId(number) },
    spec: { source: { scaleway: { zone: 'fr-par-1', serverID: memoryId(number) } }, pool: 'tuist-pool-', ...spec },
    status: observed,
  });
}
const owned = (name: string, status: MacHostStatus = { state: 'Available' }): MacHost => ({
  ...host(1),
  metadata: { name },
  spec: { source: { owned: { address: '192.0.2.11', port: 22, user: 'admin' } }, pool: 'desk', claimEpoch: 0 },
  status,
});
/** Requirements of a MacMachine that names no zone. */
const anyZone: HostRequirements = { pool: 'desk', clusterId: 'here', now };
const numbers = (hosts: readonly MacHost[]) => hosts.map(({ metadata }) => Number(metadata.name.slice(-3)));
const failed = (count: number, lastTime: number) => ({
  failures: [{ step: 'sudo', reason: 'StepFailed', count, lastTime: timestamp(lastTime) }],
});
const quarantine = (until?: number) => ({
  quarantine: { since: timestamp(now), reasons: ['X'], ...(until === undefined ? {} : { until: timestamp(until) }) },
});

const unfit: readonly (readonly [string, MacHost, string])[] = [
  ['of another type', host(1, { status: { hardware: { type: 'M1-M' } } }), '1 of another type'],
  [
    'with another macOS',
    host(1, { status: { hardware: { type: 'M2-L', macOS: 'macos-sequoia-15.6' } } }),
    '1 of another macOS family',
  ],
  ['that the vendor installs', host(1, { status: { vendorState: 'Busy' } }), '1 busy'],
  ['that is broken', host(1, { status: { vendorState: 'Broken' } }), '1 broken'],
  ['that a machine holds', host(1, { consumerRef }), '1 held'],
  ['that a machine releases', host(1, { consumerRef, release: 'Return' }), '1 being released'],
  ['that an operator quarantined', host(1, { quarantine: { reason: 'x' } }), '1 quarantined'],
  ['in quarantine', host(1, { status: quarantine(now + 1_000) }), '1 quarantined'],
  ['in quarantine until an operator acts', host(1, { status: quarantine() }), '1 quarantined'],
  ['of another cluster', host(1, { consumerRef, clusterID: 'there' }), '1 claimed by another cluster'],
  ['that the vendor no longer lists', host(1, { status: { state: 'Missing' } }), '1 missing at the vendor'],
  ['that was renamed out of the pool', host(1, { status: { vendorName: 'runners-1' } }), 'has no hosts'],
  ['of another pool', host(1, { status: { vendorName: 'other-1' }, pool: 'other-' }), 'has no hosts'],
  ['of another zone', host(1, { source: { scaleway: { zone: 'fr-par-3', serverID: memoryId(1) } } }), 'has no hosts'],
  ['that is not inspected yet', { ...host(1), status: {} }, '1 not inspected yet'],
];

for (const [which, one, why] of unfit) {
  test(`no machine claims a host ${which}`, () => {
    const choice = chooseMacHosts(required, [one]);
    assert.deepEqual(choice.hosts, []);
    assert.ok(choice.why.endsWith(why), choice.why);
  });
}

test('a machine can claim a free host, one with another image of the family, and one whose quarantine is over', () => {
  const hosts = [
    host(1),
    host(2, { status: { hardware: { type: 'M2-L', macOS: 'macos-tahoe-26.4' } } }),
    host(3, { status: quarantine(now) }),
  ];
  assert.deepEqual(numbers(chooseMacHosts(required, hosts).hosts), [1, 2, 3]);
});

test('a machine without a zone can claim an owned Mac whose pool has exactly its name', () => {
  const mini = owned('mini-01');
  assert.deepEqual(chooseMacHosts(anyZone, [mini, host(2)]).hosts, [mini]);
  assert.equal(chooseMacHosts({ ...anyZone, pool: 'des' }, [mini]).why, 'pool des has no hosts');
});

test('a machine without a zone can claim a rented host by the pool of its MacHost, whatever its zone', () => {
  const rented = host(2, { pool: 'desk', source: { scaleway: { zone: 'nl-ams-1', serverID: memoryId(2) } } });
  assert.deepEqual(chooseMacHosts(anyZone, [rented]).hosts, [rented]);
});

test('a machine that names a zone never claims an owned Mac', () => {
  assert.deepEqual(chooseMacHosts({ ...required, pool: 'desk' }, [owned('mini-01')]).hosts, []);
});

test('the summary counts the hosts of the pool by the reason why they do not fit', () => {
  const hosts = [
    host(1, { status: { hardware: { type: 'M1-M' } } }),
    host(2, { status: quarantine() }),
    host(3, { consumerRef }),
    host(4, { status: { vendorName: 'other-4' }, pool: 'other-' }),
  ];
  assert.equal(
    chooseMacHosts(required, hosts).why,
    'pool tuist-pool- in fr-par-1: 3 hosts, 1 held, 1 of another type, 1 quarantined',
  );
});

test('the host with the fewest failures comes first, then the one that failed longest ago, then by name', () => {
  const hosts = [
    host(5),
    host(2, { status: failed(1, now - 60_000) }),
    host(1, { status: failed(3, now - 9) }),
    host(4),
    host(3, { status: failed(1, now - 120_000) }),
  ];
  assert.deepEqual(numbers(chooseMacHosts(required, hosts).hosts), [4, 5, 3, 2, 1]);
});

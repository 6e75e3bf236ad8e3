import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostClaim } from '@minifleet/api';
import type { Server } from '@minifleet/vendors';
import { memoryId, memoryServer } from '@minifleet/vendors/testing';
import { machineNamed } from '../host-work/testing/machine.ts';
import type { Fleet } from './find-orphans.ts';
import { seenHosts } from './seen-hosts.ts';
import type { SeenHost } from './sweep-report.ts';

const claim = (spec: Partial<HostClaim['spec']>, status: HostClaim['status'] = {}): HostClaim => ({
  apiVersion: '',
  kind: 'HostClaim',
  metadata: { name: memoryId(1) },
  spec: { zone: 'fr-par-1', claimEpoch: 1, ...spec },
  status,
});
const machineRef = { namespace: 'fleet', name: 'a', uid: '1' };
const quarantine = { reason: 'loud' };
const fleet = (server: Partial<Server>, more: Partial<Fleet> = {}): Fleet => ({
  servers: [memoryServer(1, server)],
  claims: [],
  machines: [],
  clusters: [],
  clusterId: 'here',
  defaultPoolPrefix: 'pool-',
  ...more,
});
const aside = (until?: string) => claim({}, { quarantine: { since: '', reasons: [], ...(until ? { until } : {}) } });

const table: readonly (readonly [string, Fleet, SeenHost['state'], string])[] = [
  ['in a pool and ready', fleet({ name: 'pool-1' }), 'free', 'pool-'],
  ['in a pool and being installed', fleet({ name: 'pool-1', state: 'busy' }), 'busy', 'pool-'],
  ['in a pool and for its vendor to repair', fleet({ name: 'pool-1', state: 'broken' }), 'broken', 'pool-'],
  ['in no pool', fleet({ name: 'a desk' }), 'foreign', ''],
  ['in the middle of a claim of the older system', fleet({ name: 'tuist-claim-pending-1' }), 'busy', ''],
  ['held', fleet({ name: 'a' }, { claims: [claim({ machineRef, poolPrefix: 'pool-' })] }), 'claimed', 'pool-'],
  [
    'held and to be put aside later',
    fleet({ name: 'a' }, { claims: [claim({ machineRef, quarantine })] }),
    'claimed',
    '',
  ],
  ['named by a machine that has no claim', fleet({ name: 'a' }, { machines: [machineNamed('a')] }), 'claimed', ''],
  ['put aside by a person', fleet({ name: 'retained-a' }, { claims: [claim({ quarantine })] }), 'quarantined', ''],
  ['put aside for its record', fleet({ name: 'pool-1' }, { claims: [aside()] }), 'quarantined', 'pool-'],
  [
    'put aside until a time that is over',
    fleet({ name: 'pool-1' }, { claims: [aside('1970-01-01T00:00:00Z')] }),
    'free',
    'pool-',
  ],
  [
    'of the pool whose prefix fits best',
    fleet(
      { name: 'pool-b-1' },
      {
        machines: [
          machineNamed('x', {
            adoptPoolPrefix: 'pool-b-',
            claimRef: { name: memoryId(2) },
            providerID: `scw-applesilicon://fr-par-1/${memoryId(2)}`,
          }),
        ],
      },
    ),
    'free',
    'pool-b-',
  ],
];
for (const [which, seen, state, prefix] of table) {
  test(`${state}: a host ${which}`, () => {
    assert.deepEqual(seenHosts(seen, 1_000), [{ zone: 'fr-par-1', id: memoryId(1), prefix, state }]);
  });
}

test('when it was ordered and may go back is told where the vendor says so', () => {
  const [host] = seenHosts(fleet({ name: 'pool-1', orderedAt: 1, returnableAt: 2 }), 0);
  assert.deepEqual([host?.orderedAt, host?.returnableAt], [1, 2]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InfraMachine, MacHost } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { type ClaimView, claimConditions } from './claim-conditions.ts';
import { freeHostObject, heldHost } from './testing/held-host.ts';

const now = Date.UTC(2030, 0, 3);
const machine = (name: string): InfraMachine =>
  ({ metadata: { namespace: 'fleet', name, uid: name }, spec: {} }) as unknown as InfraMachine;
const quarantine = (until?: number) => ({
  quarantine: {
    ...{ since: timestamp(now), reasons: ['StepFailed', 'HostUnreachable'] },
    ...(until === undefined ? {} : { until: timestamp(until) }),
  },
});
const operator = (reason: string) => freeHostObject({ quarantine: { reason } });
const owned = { owned: { address: '192.0.2.11', port: 22, user: 'admin' } };

type Row = readonly [string, MacHost, Partial<ClaimView>, string, RegExp?];

const rows: readonly Row[] = [
  ['a free host', freeHostObject(), {}, 'Claimed False NotClaimed'],
  ['a held host', heldHost(), {}, 'Claimed True HeldByMachine', /^fleet\/a$/],
  [
    'a host held in another cluster',
    heldHost({ clusterID: 'there' }),
    {},
    'Claimed False HeldByOtherCluster',
    /cluster there/,
  ],
  [
    'I22 a host whose machine is gone',
    heldHost(),
    { consumer: undefined },
    'Claimed False ConsumerMissing',
    /fleet\/a \(UID 1\) does not exist/,
  ],
  [
    'I13 a host that two more machines name',
    heldHost(),
    { others: [machine('c'), machine('b')] },
    'Claimed False MultipleConsumers',
    /fleet\/a holds the host; fleet\/b, fleet\/c also names it and is fenced/,
  ],
  ['an owned Mac', heldHost({ source: owned }), {}, 'NameMirrored True NotRented'],
  ['a free host', freeHostObject(), {}, 'NameMirrored False NotClaimed'],
  ['a Missing host', heldHost({}, { state: 'Missing' }), {}, 'NameMirrored False HostMissing'],
  ['a host that was not listed yet', heldHost(), {}, 'NameMirrored False RenamePending', /not checked/],
  [
    'a host with its old name',
    heldHost({}, { vendorName: 'tuist-pool-1' }),
    {},
    'NameMirrored False RenamePending',
    /still tuist-pool-1/,
  ],
  ['a host with the name of its machine', heldHost({}, { vendorName: 'a' }), {}, 'NameMirrored True NameMirrored'],
  [
    'a host renamed from outside',
    heldHost({}, { vendorName: 'runners-b' }),
    {},
    'NameMirrored False NameTaken',
    /named runners-b/,
  ],
  ['a host in no quarantine', freeHostObject(), {}, 'Quarantined False NotQuarantined'],
  ['a host that an operator quarantines', operator('dead fan'), {}, 'Quarantined True OperatorRequest', /^dead fan$/],
  ['a retained host', operator('Retained by fleet/a: …'), {}, 'Quarantined True Retained', /fleet\/a/],
  [
    'a host that failed too often',
    freeHostObject({}, quarantine(now + 1_000)),
    {},
    'Quarantined True FailedTooOften',
    /until 2030-01-03T00:00:01Z; failures: StepFailed, HostUnreachable/,
  ],
  [
    'a host that failed too often for the fourth time',
    freeHostObject({}, quarantine()),
    {},
    'Quarantined True FailedTooOften',
    /until an operator runs minifleet release/,
  ],
  ['a host whose quarantine is over', freeHostObject({}, quarantine(now)), {}, 'Quarantined False NotQuarantined'],
];

for (const [name, host, view, expected, message = /^/] of rows)
  test(`conditions of ${name}: ${expected}`, () => {
    const conditions = claimConditions({ host, consumer: machine('a'), others: [], clusterId: 'here', now, ...view });
    const [type] = expected.split(' ');
    const found = conditions.find(condition => condition.type === type);
    assert.equal(`${type} ${found?.status} ${found?.reason}`, expected);
    assert.match(found?.message ?? '', message);
  });

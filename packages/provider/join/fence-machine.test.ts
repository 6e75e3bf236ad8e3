import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MacHost, macHost, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { fakeClock } from '@minifleet/clock/testing';
import { createMemoryApi } from '@minifleet/kube/testing';
import { machineNamed } from '../cluster-api/testing/machine-named.ts';
import { fenceMachine } from './add-join.ts';
import { createHeldHost } from './testing/access.ts';

const CLUSTER_ID = 'c1';
const A = machineNamed('a');

const cases: readonly {
  readonly name: string;
  /** Absent: the MacHost does not exist. */
  readonly host?: Partial<MacHost['spec']> | undefined;
  readonly machine?: ScalewayAppleSiliconMachine;
  readonly lost?: RegExp;
}[] = [
  { name: 'holds its host', host: { clusterID: CLUSTER_ID } },
  { name: 'names a MacHost that does not exist', lost: /its MacHost does not exist/ },
  {
    name: 'has no host yet',
    host: { clusterID: CLUSTER_ID },
    machine: withoutHost(),
    lost: /its MacHost does not exist/,
  },
  { name: 'released its host', host: { consumerRef: undefined } as never, lost: /no machine holds the MacHost/ },
  {
    name: 'was recreated with the same name',
    host: { clusterID: CLUSTER_ID },
    machine: machineWithUID('later'),
    lost: /fleet\/a in epoch 1 holds the MacHost/,
  },
  {
    name: 'holds its host in an older epoch',
    host: { clusterID: CLUSTER_ID, claimEpoch: 2 },
    lost: /fleet\/a in epoch 2 holds the MacHost/,
  },
  { name: 'is the copy of another cluster', host: { clusterID: 'c2' }, lost: /fleet\/a in epoch 1 holds the MacHost/ },
];

for (const { name, host, machine = A, lost } of cases) {
  test(`A5 a certificate is ${lost ? 'denied to' : 'approved for'} a machine that ${name}`, async () => {
    const { client } = createMemoryApi({ clock: fakeClock(), crds: [macHost.crd()] });
    if (host) await createHeldHost(client, A, host);
    const fence = fenceMachine(client, machine, CLUSTER_ID);
    if (!lost) return fence;
    await assert.rejects(fence, { code: 'MACHINE_CLAIM_LOST', reason: 'ClaimLost', message: lost });
  });
}

function withoutHost(): ScalewayAppleSiliconMachine {
  const { claimRef: _, ...spec } = A.spec;
  return { ...A, spec };
}

function machineWithUID(uid: string): ScalewayAppleSiliconMachine {
  return { ...A, metadata: { ...A.metadata, uid } };
}

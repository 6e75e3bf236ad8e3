import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { names, type RunnerPool } from '@minifleet/api';
import type { Condition, Node } from '@minifleet/kube';
import { OWN_CONDITIONS } from '@minifleet/tart-kubelet/testing/node';
import type { OwnerMachine, ScalewayAppleSiliconMachine } from '../../cluster/machines.ts';
import type { FleetMachineDeployment } from '../../cluster/resources.ts';
import { hostId } from '../../testing/fleet-cluster.ts';
import { type EntitySnapshot, problemText } from '../entity.ts';
import { NODE_PROBLEM_STATUS } from './node-problems.ts';
import { observeEntities, type WatchedObjects } from './observe-entities.ts';

type ConditionTuple = readonly [type: string, status: Condition['status'], reason?: string];

const conditions = (tuples: readonly ConditionTuple[]): Condition[] =>
  tuples.map(([type, status, reason = type]) => ({
    ...{ type, status, reason, message: `${type} message`, lastTransitionTime: '2030-01-01T00:00:00Z' },
  }));

const metadata = { namespace: 'fleet', name: 'mac-a', creationTimestamp: '2030-01-01T00:00:00Z' };
const none: WatchedObjects = {
  machines: [],
  hosts: [],
  nodes: [],
  ownerMachines: [],
  deployments: [],
  pools: [],
  joined: new Set(),
};

interface HostFixture {
  readonly served?: boolean;
  readonly deleted?: boolean;
  readonly node?: readonly ConditionTuple[];
  readonly core?: readonly ConditionTuple[];
  readonly joined?: boolean;
}

function snapshotOfHost(
  tuples: readonly ConditionTuple[],
  { served = true, deleted = false, node, core = [], joined = false }: HostFixture = {},
): EntitySnapshot | undefined {
  const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'machine-a', uid: '1' };
  const machine = {
    metadata: {
      ...{ ...metadata, ownerReferences: [owner] },
      ...(deleted ? { deletionTimestamp: '2030-01-02T00:00:00Z' } : {}),
    },
    spec: { claimRef: { name: hostId(1), epoch: 1 } },
    status: { conditions: conditions(tuples), initialization: { provisioned: served } },
  } as unknown as ScalewayAppleSiliconMachine;
  const spec = { providerID: `${names.providerIDScheme}://fr-par-1/${hostId(1)}` };
  const nodes = node ? [{ metadata: { name: 'node-a' }, spec, status: { conditions: conditions(node) } } as Node] : [];
  const ownerMachine = { metadata: { ...metadata, name: 'machine-a' }, status: { conditions: conditions(core) } };
  return observeEntities(
    {
      ...none,
      machines: [machine],
      nodes,
      ownerMachines: [ownerMachine as OwnerMachine],
      joined: new Set(joined ? [hostId(1)] : []),
    },
    [],
  )[0];
}

const ready: ConditionTuple = ['Ready', 'True'];
const nodeReady: ConditionTuple = ['Ready', 'True'];

const hosts: readonly (readonly [
  name: string,
  tuples: readonly ConditionTuple[],
  given: HostFixture,
  expected: string,
])[] = [
  ['a Ready host is healthy', [ready], { node: [nodeReady] }, 'healthy'],
  ['a new host without conditions is starting', [], { served: false }, 'starting'],
  [
    'a new host that waits in a phase is starting',
    [['HostBootstrapped', 'False', 'BootstrapRunning']],
    { served: false },
    'starting: BootstrapRunning',
  ],
  [
    'a new host with a failed step is unhealthy',
    [['HostBootstrapped', 'False', 'StepWaiting']],
    { served: false },
    'unhealthy: StepWaiting',
  ],
  [
    'a host without a free Mac in the pool is unhealthy',
    [['HostClaimed', 'False', 'NoHostAvailable']],
    { served: false },
    'unhealthy: NoHostAvailable',
  ],
  [
    'a new host whose Node is not Ready yet is starting',
    [['NodeReady', 'False', 'WaitingForNode']],
    { served: false, node: [['Ready', 'False']] },
    'starting: WaitingForNode',
  ],
  [
    'I37 a host in service without its Node is unhealthy',
    [['NodeReady', 'False', 'WaitingForNode']],
    {},
    'unhealthy: WaitingForNode',
  ],
  [
    'a new host with NodeNotReady is starting',
    [['NodeReady', 'False', 'NodeNotReady']],
    { served: false },
    'starting: NodeNotReady',
  ],
  [
    'a host in service with NodeNotReady is unhealthy',
    [['NodeReady', 'False', 'NodeNotReady']],
    {},
    'unhealthy: NodeNotReady',
  ],
  ['I37 a host whose Node was deleted is unhealthy', [ready], { joined: true }, 'unhealthy: Node deleted'],
  ['a host without a Node in this cluster is healthy', [ready], {}, 'healthy'],
  [
    'a host that waits for its first serving certificate is starting',
    [['ServingCertificateReady', 'False', 'WaitingForRequest']],
    {},
    'starting: WaitingForRequest',
  ],
  [
    'a Ready host with drift is unhealthy',
    [ready, ['HostBootstrapped', 'False', 'DriftFound']],
    {},
    'unhealthy: DriftFound',
  ],
  ['a host with a retired OS image is healthy', [ready, ['OSImageCurrent', 'False', 'ImageRetired']], {}, 'healthy'],
  [
    'a host whose Node status is Unknown is unhealthy',
    [ready],
    {
      node: [
        ['Ready', 'Unknown'],
        ['TartReady', 'Unknown'],
      ],
    },
    'unhealthy: Node NotReady',
  ],
  [
    'I08 a host without a GUI session is unhealthy',
    [ready],
    {
      node: [
        ['GUISessionReady', 'False'],
        ['Ready', 'False'],
      ],
    },
    'unhealthy: Node NotReady, Node GUISessionReady',
  ],
  [
    'a host with disk pressure is unhealthy',
    [ready],
    { node: [nodeReady, ['DiskPressure', 'True'], ['MemoryPressure', 'False']] },
    'unhealthy: Node DiskPressure',
  ],
  [
    'a host that failed its MachineHealthCheck is unhealthy',
    [ready],
    { core: [['HealthCheckSucceeded', 'False']] },
    'unhealthy: Machine unhealthy',
  ],
  [
    'a paused host ignores its old conditions',
    [
      ['Paused', 'True'],
      ['HostBootstrapped', 'False', 'StepFailed'],
    ],
    {},
    'paused',
  ],
  [
    'a paused host whose Node status is Unknown is unhealthy',
    [['Paused', 'True']],
    { node: [['Ready', 'Unknown']] },
    'unhealthy: Node NotReady',
  ],
  [
    'a host with a deletion timestamp is deleting',
    [
      ['Deleting', 'True', 'ReturningHost'],
      ['NodeReady', 'False'],
    ],
    { deleted: true },
    'deleting: NodeReady',
  ],
];

const stateText = (snapshot: EntitySnapshot | undefined): string =>
  [snapshot?.state, snapshot?.problems.map(({ label }) => label).join(', ')].filter(Boolean).join(': ');

describe('host snapshot', () => {
  for (const [name, tuples, given, expected] of hosts) {
    test(name, () => assert.equal(stateText(snapshotOfHost(tuples, given)), expected));
  }

  test('a host has the names of all its objects as aliases, and its problems quote the conditions', () => {
    const snapshot = snapshotOfHost([ready], { node: [['Ready', 'Unknown']] });
    assert.deepEqual(snapshot?.aliases, ['mac-a', 'machine-a', 'node-a', hostId(1)]);
    assert.deepEqual(snapshot?.problems.map(problemText), ['Node NotReady: Ready message']);
  });

  test('every Node condition of the agent has a status that is a problem', () => {
    assert.deepEqual(
      Object.keys(NODE_PROBLEM_STATUS).toSorted(),
      OWN_CONDITIONS.filter(type => type !== 'Ready').toSorted(),
    );
  });
});

function snapshotOfFleet(
  tuples: readonly ConditionTuple[],
  kind = 'ScalewayAppleSiliconMachineTemplate',
): EntitySnapshot | undefined {
  const spec = { template: { spec: { infrastructureRef: { kind } } } };
  const fleet = { metadata, spec, status: { conditions: conditions(tuples) } } as unknown as FleetMachineDeployment;
  return observeEntities({ ...none, deployments: [fleet] }, [])[0];
}

test('a fleet is healthy while it is Available; fleets of other machines are ignored', () => {
  assert.equal(stateText(snapshotOfFleet([['Available', 'True']])), 'healthy');
  assert.equal(stateText(snapshotOfFleet([['Available', 'False']])), 'starting: not Available');
  assert.equal(stateText(snapshotOfFleet([['Available', 'True']], 'MacMachineTemplate')), 'healthy');
  assert.equal(snapshotOfFleet([['Available', 'False']], 'LinuxMachineTemplate'), undefined);
});

const pools: readonly (readonly [tuples: readonly ConditionTuple[], expected: string])[] = [
  [
    [
      ['Ready', 'True'],
      ['ForgeReachable', 'True'],
    ],
    'healthy',
  ],
  [[['Ready', 'False', 'Starting']], 'healthy'],
  [
    [
      ['Ready', 'False', 'ForgeUnreachable'],
      ['ForgeReachable', 'False', 'ForgeRefused'],
    ],
    'unhealthy: ForgeRefused, ForgeUnreachable',
  ],
  [[['PodsTerminating', 'True', 'Stuck']], 'unhealthy: Stuck'],
];
for (const [tuples, expected] of pools) {
  test(`a pool with ${tuples.map(each => each.join(' ')).join(', ')} is ${expected}`, () => {
    const pool = { metadata, spec: {}, status: { conditions: conditions(tuples) } } as unknown as RunnerPool;
    assert.equal(stateText(observeEntities({ ...none, pools: [pool] }, [])[0]), expected);
  });
}

test('observeEntities with names returns only these hosts', () => {
  const machine = (name: string): ScalewayAppleSiliconMachine =>
    ({ metadata: { ...metadata, name }, spec: {} }) as unknown as ScalewayAppleSiliconMachine;
  const objects = { ...none, machines: [machine('mac-a'), machine('mac-b')] };
  assert.deepEqual(
    observeEntities(objects, ['mac-b']).map(({ name }) => name),
    ['mac-b'],
  );
});

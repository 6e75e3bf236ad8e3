import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { names, type RunnerPool } from '@minifleet/api';
import type { Condition, Node } from '@minifleet/kube';
import { OWN_CONDITIONS } from '../../../tart-kubelet/node/node-conditions.ts';
import type { OwnerMachine, ScalewayAppleSiliconMachine } from '../../cluster/machines.ts';
import type { FleetMachineDeployment } from '../../cluster/resources.ts';
import { hostId } from '../../testing/fleet-cluster.ts';
import { type EntitySnapshot, problemText } from '../entity.ts';
import { NODE_PROBLEM_STATUS } from './node-problems.ts';
import { observeEntities, type WatchedObjects } from './observe-entities.ts';

type Said = readonly [type: string, status: Condition['status'], reason?: string];

const conditions = (said: readonly Said[]): Condition[] =>
  said.map(([type, status, reason = type]) => ({
    ...{ type, status, reason, message: `${type} tells`, lastTransitionTime: '2030-01-01T00:00:00Z' },
  }));

const metadata = { namespace: 'fleet', name: 'mac-a', creationTimestamp: '2030-01-01T00:00:00Z' };
const none: WatchedObjects = { machines: [], nodes: [], cores: [], deployments: [], pools: [], joined: new Set() };

interface Given {
  readonly served?: boolean;
  readonly deleted?: boolean;
  readonly node?: readonly Said[];
  readonly core?: readonly Said[];
  readonly joined?: boolean;
}

function hostSight(
  said: readonly Said[],
  { served = true, deleted = false, node, core = [], joined = false }: Given = {},
): EntitySnapshot | undefined {
  const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'machine-a', uid: '1' };
  const machine = {
    metadata: {
      ...{ ...metadata, ownerReferences: [owner] },
      ...(deleted ? { deletionTimestamp: '2030-01-02T00:00:00Z' } : {}),
    },
    spec: { claimRef: { name: hostId(1), epoch: 1 } },
    status: { conditions: conditions(said), initialization: { provisioned: served } },
  } as unknown as ScalewayAppleSiliconMachine;
  const spec = { providerID: `${names.providerIDScheme}://fr-par-1/${hostId(1)}` };
  const nodes = node ? [{ metadata: { name: 'node-a' }, spec, status: { conditions: conditions(node) } } as Node] : [];
  const ownerMachine = { metadata: { ...metadata, name: 'machine-a' }, status: { conditions: conditions(core) } };
  return observeEntities(
    {
      ...none,
      machines: [machine],
      nodes,
      cores: [ownerMachine as OwnerMachine],
      joined: new Set(joined ? [hostId(1)] : []),
    },
    [],
  )[0];
}

const ready: Said = ['Ready', 'True'];
const nodeWell: Said = ['Ready', 'True'];

const hosts: readonly (readonly [name: string, said: readonly Said[], given: Given, seen: string])[] = [
  ['Ready is well', [ready], { node: [nodeWell] }, 'well'],
  ['nobody has looked at a new one', [], { served: false }, 'starting'],
  [
    'a new one waits at each phase',
    [['HostBootstrapped', 'False', 'BootstrapRunning']],
    { served: false },
    'starting: BootstrapRunning',
  ],
  [
    'a new one whose step fails is in trouble',
    [['HostBootstrapped', 'False', 'StepWaiting']],
    { served: false },
    'troubled: StepWaiting',
  ],
  [
    'an empty pool is trouble',
    [['HostClaimed', 'False', 'NoHostAvailable']],
    { served: false },
    'troubled: NoHostAvailable',
  ],
  [
    'a new Node is not Ready at first',
    [['NodeReady', 'False', 'WaitingForNode']],
    { served: false, node: [['Ready', 'False']] },
    'starting: WaitingForNode',
  ],
  [
    'I37 one that served has nothing to wait for',
    [['NodeReady', 'False', 'WaitingForNode']],
    {},
    'troubled: WaitingForNode',
  ],
  [
    'a new Node says at first what it still looks for',
    [['NodeReady', 'False', 'NodeNotReady']],
    { served: false },
    'starting: NodeNotReady',
  ],
  ['a Node that was Ready', [['NodeReady', 'False', 'NodeNotReady']], {}, 'troubled: NodeNotReady'],
  ['I37 its Node was seen and is not there any more', [ready], { joined: true }, 'troubled: Node gone'],
  ['its Node may be in another cluster', [ready], {}, 'well'],
  [
    'but for its first certificate',
    [['ServingCertificateReady', 'False', 'WaitingForRequest']],
    {},
    'starting: WaitingForRequest',
  ],
  [
    'what drifted while it serves is trouble',
    [ready, ['HostBootstrapped', 'False', 'DriftFound']],
    {},
    'troubled: DriftFound',
  ],
  ['an image that is no longer offered is advice', [ready, ['OSImageCurrent', 'False', 'ImageRetired']], {}, 'well'],
  [
    'a silent Node',
    [ready],
    {
      node: [
        ['Ready', 'Unknown'],
        ['TartReady', 'Unknown'],
      ],
    },
    'troubled: Node NotReady',
  ],
  [
    'I08 nobody at the screen',
    [ready],
    {
      node: [
        ['GUISessionReady', 'False'],
        ['Ready', 'False'],
      ],
    },
    'troubled: Node NotReady, Node GUISessionReady',
  ],
  [
    'a full disk',
    [ready],
    { node: [nodeWell, ['DiskPressure', 'True'], ['MemoryPressure', 'False']] },
    'troubled: Node DiskPressure',
  ],
  ['a health check gave it up', [ready], { core: [['HealthCheckSucceeded', 'False']] }, 'troubled: Machine unhealthy'],
  [
    'paused: its conditions are old',
    [
      ['Paused', 'True'],
      ['HostBootstrapped', 'False', 'StepFailed'],
    ],
    {},
    'paused',
  ],
  ['paused, and its Node is silent', [['Paused', 'True']], { node: [['Ready', 'Unknown']] }, 'troubled: Node NotReady'],
  [
    'it is being deleted',
    [
      ['Deleting', 'True', 'ReturningHost'],
      ['NodeReady', 'False'],
    ],
    { deleted: true },
    'leaving: NodeReady',
  ],
];

const seenAs = (sight: EntitySnapshot | undefined): string =>
  [sight?.state, sight?.worries.map(({ label }) => label).join(', ')].filter(Boolean).join(': ');

describe('what is seen of a host', () => {
  for (const [name, said, given, seen] of hosts) {
    test(name, () => assert.equal(seenAs(hostSight(said, given)), seen));
  }

  test('it goes by the names of all its parts, and its worries have their finder’s words', () => {
    const sight = hostSight([ready], { node: [['Ready', 'Unknown']] });
    assert.deepEqual(sight?.calledBy, ['mac-a', 'machine-a', 'node-a', hostId(1)]);
    assert.deepEqual(sight?.worries.map(problemText), ['Node NotReady: Ready tells']);
  });

  test('every condition of the agent is a worry under one status', () => {
    assert.deepEqual(
      Object.keys(NODE_PROBLEM_STATUS).toSorted(),
      OWN_CONDITIONS.filter(type => type !== 'Ready').toSorted(),
    );
  });
});

function fleetSight(said: readonly Said[], kind = 'ScalewayAppleSiliconMachineTemplate'): EntitySnapshot | undefined {
  const spec = { template: { spec: { infrastructureRef: { kind } } } };
  const fleet = { metadata, spec, status: { conditions: conditions(said) } } as unknown as FleetMachineDeployment;
  return observeEntities({ ...none, deployments: [fleet] }, [])[0];
}

test('a fleet is well while it is Available; those of other machines are not looked at', () => {
  assert.equal(seenAs(fleetSight([['Available', 'True']])), 'well');
  assert.equal(seenAs(fleetSight([['Available', 'False']])), 'starting: not Available');
  assert.equal(fleetSight([['Available', 'False']], 'LinuxMachineTemplate'), undefined);
});

const pools: readonly (readonly [said: readonly Said[], seen: string])[] = [
  [
    [
      ['Ready', 'True'],
      ['ForgeReachable', 'True'],
    ],
    'well',
  ],
  [[['Ready', 'False', 'Starting']], 'well'],
  [
    [
      ['Ready', 'False', 'ForgeUnreachable'],
      ['ForgeReachable', 'False', 'ForgeRefused'],
    ],
    'troubled: ForgeRefused, ForgeUnreachable',
  ],
  [[['PodsTerminating', 'True', 'Stuck']], 'troubled: Stuck'],
];
for (const [said, seen] of pools) {
  test(`a pool with ${said.map(each => each.join(' ')).join(', ')} is ${seen}`, () => {
    const pool = { metadata, spec: {}, status: { conditions: conditions(said) } } as unknown as RunnerPool;
    assert.equal(seenAs(observeEntities({ ...none, pools: [pool] }, [])[0]), seen);
  });
}

test('with names only those hosts are looked at', () => {
  const machine = (name: string): ScalewayAppleSiliconMachine =>
    ({ metadata: { ...metadata, name }, spec: {} }) as unknown as ScalewayAppleSiliconMachine;
  const objects = { ...none, machines: [machine('mac-a'), machine('mac-b')] };
  assert.deepEqual(
    observeEntities(objects, ['mac-b']).map(({ name }) => name),
    ['mac-b'],
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostClaim, RunnerPool } from '@minifleet/api';
import type { Condition, KubeEvent, Node, Pod } from '@minifleet/kube';
import type { ScalewayAppleSiliconMachine } from '../cluster/machines.ts';
import type { FleetMachineDeployment } from '../cluster/resources.ts';
import { explainClaim } from './explain-claim.ts';
import { explainFleet } from './explain-fleet.ts';
import { explainMachine } from './explain-machine.ts';
import { explainPod } from './explain-pod.ts';
import { explainPool } from './explain-pool.ts';
import type { ObjectExplanation } from './explanation.ts';

const at = '2030-01-01T00:00:00Z';
const now = Date.parse('2030-01-01T03:00:00Z');

const condition = (type: string, status: 'True' | 'False', reason: string, message = ''): Condition => ({
  ...{ type, status, reason, message },
  lastTransitionTime: at,
});
const named = (name: string, more: object = {}) => ({ metadata: { namespace: 'fleet', name, ...more } });
const event = (note: string, type = 'Warning'): KubeEvent => ({ type, note, eventTime: at }) as KubeEvent;

const machine = (given: {
  readonly status?: object;
  readonly spec?: object;
  readonly metadata?: object;
}): ScalewayAppleSiliconMachine =>
  ({
    ...named('mac-1', given.metadata),
    spec: { zone: 'fr-par-1', ...given.spec },
    status: given.status,
  }) as ScalewayAppleSiliconMachine;
const explained = (
  given: Parameters<typeof machine>[0],
  told: readonly KubeEvent[] = [],
  node?: Node,
): ObjectExplanation => explainMachine({ machine: machine(given), node, events: told, now });
const claim = (spec: object, status: object = {}): ObjectExplanation =>
  explainClaim({ claim: { metadata: { name: 'id' }, spec, status } as unknown as HostClaim, events: [], now });
const pool = (status: object, more: object = {}): ObjectExplanation =>
  explainPool({
    pool: { ...named('macos-26', more), spec: { replicas: 4 }, status } as unknown as RunnerPool,
    events: [],
    now,
  });
const pod = (given: object, node?: object): ObjectExplanation =>
  explainPod({ pod: { ...named('job-1'), ...given } as Pod, node: node as Node | undefined, events: [], now });
const fleet = (given: object, machines: readonly ScalewayAppleSiliconMachine[]): ObjectExplanation =>
  explainFleet({ fleet: { ...named('runners'), ...given } as FleetMachineDeployment, machines, events: [], now });

const waits = {
  name: 'tart',
  state: 'Waiting',
  attempts: 3,
  message: 'no such file',
  nextAttemptTime: '2030-01-01T03:05:00Z',
};
const readyNode = { metadata: { name: 'node-1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
const macNode = { ...readyNode, metadata: { name: 'node-1', labels: { 'tuist.dev/runtime': 'tart' } } };
const gone = { metadata: { namespace: 'fleet', name: 'job-1', deletionTimestamp: at } };

const TABLE: readonly (readonly [string, ObjectExplanation, RegExp, RegExp])[] = [
  [
    'a host that does not answer',
    explained({
      status: { conditions: [condition('HostBootstrapped', 'False', 'HostUnreachable', 'nobody answers')] },
    }),
    /^fleet\/mac-1 is not Ready: nobody answers \(HostUnreachable, for 3h\)\. The host does not answer over SSH\.$/,
    /host-unreachable\.md/,
  ],
  [
    'the first phase that fails counts, not those that wait for it',
    explained({
      status: {
        conditions: [
          condition('NodeReady', 'False', 'WaitingForNode'),
          condition('HostClaimed', 'False', 'NoHostAvailable'),
        ],
      },
    }),
    /is not Ready: NoHostAvailable \(for 3h\)\. The pool has no free host/,
    /pool-empty\.md/,
  ],
  [
    'a step that is tried again, from the journal',
    explained({
      status: { conditions: [condition('HostBootstrapped', 'False', 'StepWaiting', 'step tart')], steps: [waits] },
    }),
    /Step tart waits after 3 attempts: no such file\. It is tried again at 2030-01-01T03:05:00Z\./,
    /tried again by itself/,
  ],
  [
    'a run under way, and a warning that the conditions do not have',
    explained(
      {
        status: {
          conditions: [condition('HostBootstrapped', 'False', 'BootstrapRunning', 'step pf-anchor')],
          job: { id: 'j', startTime: at, deadlineTime: at },
          currentStep: 'pf-anchor',
        },
      },
      [event('the disk is nearly full'), event('all is well', 'Normal')],
    ),
    /A run is under way for 3h, at step pf-anchor\. The last warning was 3h ago: the disk is nearly full\./,
    /wait: it goes on by itself/,
  ],
  [
    'a Ready host',
    explained(
      { status: { conditions: [condition('Ready', 'True', 'Ready')] }, spec: { claimRef: { name: 'id' } } },
      [],
      readyNode as Node,
    ),
    /is Ready for 3h: it holds host id and serves as Node node-1\.$/,
    /nothing to do/,
  ],
  [
    'I34 a host that serves while a step on it waits: both are told',
    explained({
      status: {
        conditions: [
          condition('Ready', 'True', 'Ready'),
          condition('HostBootstrapped', 'False', 'StepWaiting', 'step sudo: macOS has locked m1'),
        ],
        steps: [{ ...waits, name: 'sudo', message: 'macOS has locked m1' }],
      },
    }),
    /is Ready for 3h.*It is not as wanted: step sudo: macOS has locked m1 \(StepWaiting, for 3h\)\..*Step sudo waits after 3 attempts/,
    /wait: it is tried again by itself/,
  ],
  [
    'a host that serves while what drifted on it is repaired: it goes on by itself',
    explained({
      status: {
        conditions: [
          condition('Ready', 'True', 'Ready'),
          condition('HostBootstrapped', 'False', 'DriftFound', 'step tart: tart is missing'),
        ],
      },
    }),
    /It is not as wanted: step tart: tart is missing \(DriftFound, for 3h\)\./,
    /wait: it goes on by itself; minifleet get host .* --watch/,
  ],
  [
    'a Ready host that another plan is wanted of',
    explained({
      status: { conditions: [condition('Ready', 'True', 'Ready')], plan: { desired: 'b', applied: 'a' } },
      spec: { fleetName: 'ci' },
    }),
    /Another plan is wanted of it and waits for its turn\./,
    /minifleet plan --fleet ci/,
  ],
  [
    'a paused machine',
    explained({ status: { conditions: [condition('Paused', 'True', 'Paused')] } }),
    /is paused: nothing is changed on its host/,
    /kubectl annotate samm mac-1 -n fleet cluster\.x-k8s\.io\/paused-/,
  ],
  [
    'a machine on its way out whose vendor refuses',
    explained({
      metadata: { deletionTimestamp: at },
      status: { conditions: [condition('Deleting', 'True', 'WaitingForVendor')] },
    }),
    /is being deleted for 3h: WaitingForVendor\. The vendor refuses .* Its host goes back to the pool\./,
    /vendor-unavailable\.md/,
  ],
  ['a machine nobody has looked at', explained({}), /is new: nobody has looked at it yet/, /minifleet doctor/],
  [
    'a host that a person put aside',
    claim({ quarantine: { reason: 'its fan is loud' } }),
    /^Host id is held by no machine\. A person put it aside: its fan is loud\. No machine gets it\.$/,
    /minifleet release id/,
  ],
  [
    'a host that failed too often, with what it failed at',
    claim(
      {},
      {
        quarantine: { since: at, reasons: ['StepFailed'] },
        failures: [{ step: 'tart', reason: 'StepFailed', count: 5, lastTime: at }],
      },
    ),
    /failed too often \(StepFailed\) and is put aside until a person releases it\. It failed 5 times at step tart: StepFailed\./,
    /host-quarantined\.md/,
  ],
  [
    'a claim that two machines name',
    claim(
      { machineRef: { namespace: 'fleet', name: 'a' } },
      { conditions: [condition('Held', 'False', 'HeldTwice', 'also b')] },
    ),
    /is held by machine fleet\/a\. also b \(HeldTwice, for 3h\)\. A second machine names this host/,
    /duplicate-claim\.md/,
  ],
  [
    'a claim in force',
    claim({ machineRef: { namespace: 'fleet', name: 'a' } }),
    /is held by machine fleet\/a\.$/,
    /nothing to do/,
  ],
  [
    'a pool that has no place',
    pool({
      idle: 1,
      busy: 2,
      pending: 1,
      conditions: [condition('Ready', 'False', 'Unschedulable', '0/3 nodes are available')],
    }),
    /wants 4 runners: 2 have a job, 1 wait for one, 1 are on their way\. Jobs may wait: 0\/3 nodes are available \(Unschedulable, for 3h\)/,
    /runners-pool-short\.md/,
  ],
  [
    'a pool without its Secret: the forge before the rest',
    pool({
      conditions: [
        condition('Ready', 'False', 'ForgeUnreachable'),
        condition('ForgeReachable', 'False', 'SecretMissing'),
      ],
    }),
    /The Secret does not exist/,
    /create the Secret with app-id, installation-id and private-key/,
  ],
  [
    'a pool whose image fails, with the last words of a runner',
    pool({
      conditions: [condition('Ready', 'False', 'CrashBackOff')],
      recentEnds: [
        { runner: 'macos-26-x', host: 'node-1', outcome: 'Crashed', reason: 'Error', log: 'hello\nno run.sh\n' },
      ],
    }),
    /The last runner, macos-26-x on node-1, ended as Crashed \(Error\): no run\.sh\./,
    /runners-crash-looping\.md/,
  ],
  [
    'a guest whose image is pulled',
    pod(
      {
        spec: { nodeName: 'node-1' },
        status: {
          phase: 'Pending',
          startTime: at,
          containerStatuses: [{ state: { waiting: { reason: 'Pulling', message: '3 of 40 GB' } } }],
        },
      },
      readyNode,
    ),
    /is on Node node-1 and is Pending for 3h: Pulling: 3 of 40 GB\.$/,
    /wait: its agent is at it/,
  ],
  [
    'a guest without a place',
    pod({ status: { phase: 'Pending', startTime: at } }),
    /has no Node yet and is Pending/,
    /who has the VM slots/,
  ],
  [
    'a guest on a Node that is not heard',
    pod(
      { spec: { nodeName: 'node-1' }, status: { phase: 'Running', startTime: at } },
      { metadata: { name: 'node-1' } },
    ),
    /Node node-1 is not Ready, so this may be old\./,
    /minifleet explain host\/node-1/,
  ],
  [
    'I10 a Pod that a finalizer holds for nothing',
    pod({
      metadata: { ...gone.metadata, finalizers: ['tart-kubelet.tuist.dev/vm-cleanup'] },
      spec: { nodeName: 'gone' },
    }),
    /is being deleted for 3h\. It is still there because a finalizer holds it, though the Node does not exist any more\./,
    /minifleet unstick pods/,
  ],
  [
    'a Pod whose VM may run',
    pod({ ...gone, spec: { nodeName: 'node-1' } }, macNode),
    /because the agent has not said that the VM has ended/,
    /pods-stuck-terminating\.md/,
  ],
  [
    'a fleet that is short, and why',
    fleet({ spec: { replicas: 2 } }, [
      machine({ status: { conditions: [condition('Ready', 'True', 'Ready')] } }),
      machine({ status: { conditions: [condition('HostClaimed', 'False', 'NoHostAvailable', 'the pool is empty')] } }),
    ]),
    /wants 2 hosts, and 1 of its 2 machines is Ready\. mac-1: the pool is empty \(NoHostAvailable, for 3h\)\./,
    /pool-empty\.md/,
  ],
  [
    'a fleet whose roll is halted',
    fleet({ spec: { replicas: 1 } }, [
      machine({ status: { conditions: [condition('Ready', 'True', 'Ready')], plan: { desired: 'b', failed: 'b' } } }),
    ]),
    /The roll is halted: fleet\/mac-1 failed the wanted plan\./,
    /roll-halted\.md/,
  ],
  [
    'a fleet that Cluster API does not fill',
    fleet(
      {
        spec: { replicas: 1 },
        status: { conditions: [condition('ScalingUp', 'True', 'ScalingUp', 'preflight checks failed')] },
      },
      [],
    ),
    /Cluster API has not made 1 of them: preflight checks failed\./,
    /kubectl describe machinedeployment runners -n fleet/,
  ],
];

describe('explain says why, and what comes next', () => {
  for (const [name, { sentences, next }, said, then] of TABLE) {
    test(name, () => {
      assert.match(sentences.join(' '), said);
      assert.match(next, then);
    });
  }
});

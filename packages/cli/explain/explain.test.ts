import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MacHost, RunnerPool } from '@minifleet/api';
import type { Condition, KubeEvent, Node, Pod } from '@minifleet/kube';
import type { InfraMachine } from '../cluster/machines.ts';
import type { FleetMachineDeployment } from '../cluster/resources.ts';
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

interface HeldHost {
  readonly status?: object;
  readonly spec?: object;
  readonly metadata?: object;
  readonly kind?: string;
  /** Status of its MacHost. */
  readonly host?: object;
}

const machine = ({ kind, metadata, spec, status }: HeldHost): InfraMachine =>
  ({
    ...named('mac-1', metadata),
    kind,
    spec: { zone: 'fr-par-1', ...spec },
    status,
  }) as unknown as InfraMachine;
const macHost = (spec: object, status: object = {}): MacHost =>
  ({
    metadata: { name: 'id' },
    spec: { pool: 'macs', ...spec },
    status: { stateSince: at, ...status },
  }) as unknown as MacHost;
const consumerRef = { namespace: 'fleet', name: 'mac-1', uid: 'u' };
const explained = (given: HeldHost, events: readonly KubeEvent[] = [], node?: Node): ObjectExplanation =>
  explainMachine({ machine: machine(given), host: macHost({ consumerRef }, given.host), node, events, now });
const pool = (status: object, more: object = {}): ObjectExplanation =>
  explainPool({
    pool: { ...named('macos-26', more), spec: { replicas: 4 }, status } as unknown as RunnerPool,
    events: [],
    now,
  });
const pod = (given: object, node?: object): ObjectExplanation =>
  explainPod({ pod: { ...named('job-1'), ...given } as Pod, node: node as Node | undefined, events: [], now });
const fleet = (given: object, machines: readonly InfraMachine[], hosts: readonly MacHost[] = []): ObjectExplanation =>
  explainFleet({
    ...{ fleet: { ...named('runners'), ...given } as FleetMachineDeployment, machines, hosts },
    ...{ events: [], now },
  });

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
    'explain names an unreachable host and its runbook',
    explained({
      status: { conditions: [condition('HostBootstrapped', 'False', 'HostUnreachable', 'connection timed out')] },
    }),
    /^fleet\/mac-1 is not Ready: connection timed out \(HostUnreachable, for 3h\)\. The host does not respond over SSH\.$/,
    /host-unreachable\.md/,
  ],
  [
    'explain names the first failed phase of a host, not the phases that wait for it',
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
    'explain names a waiting step with its attempts and the next attempt',
    explained({
      status: { conditions: [condition('HostBootstrapped', 'False', 'StepWaiting', 'step tart')] },
      host: { steps: [waits] },
    }),
    /Step tart is waiting after 3 attempts: no such file\. Next attempt at 2030-01-01T03:05:00Z\./,
    /the provider retries/,
  ],
  [
    'explain prints steps with the same cause in one sentence',
    explained({
      status: {
        conditions: [condition('HostBootstrapped', 'False', 'DriftFound', 'sudo needs a password')],
      },
      host: {
        steps: ['sudo', 'auto-login', 'tart'].map(name => ({ ...waits, name, message: 'sudo needs a password' })),
      },
    }),
    /^(?!.*Step ).*\. 3 steps \(sudo, auto-login, tart\) are waiting after 3 attempts: sudo needs a password\. Next attempt at 2030-01-01T03:05:00Z\.$/,
    /the provider continues/,
  ],
  [
    'explain names a running job and the last warning event',
    explained(
      {
        status: {
          conditions: [condition('HostBootstrapped', 'False', 'BootstrapRunning', 'step pf-anchor')],
        },
        host: {
          job: { id: 'j', startTime: at, deadlineTime: at },
          currentStep: 'pf-anchor',
        },
      },
      [event('the disk is nearly full'), event('all is well', 'Normal')],
    ),
    /A bootstrap job has been running for 3h \(step pf-anchor\)\. The last warning was 3h ago: the disk is nearly full\./,
    /none, the provider continues/,
  ],
  [
    'explain of a Ready host needs no action',
    explained(
      { status: { conditions: [condition('Ready', 'True', 'Ready')] }, spec: { claimRef: { name: 'id' } } },
      [],
      readyNode as Node,
    ),
    /has been Ready for 3h on host id as Node node-1\.$/,
    /^none$/,
  ],
  [
    'I34 explain of a Ready host with a waiting step names both',
    explained({
      status: {
        conditions: [
          condition('Ready', 'True', 'Ready'),
          condition('HostBootstrapped', 'False', 'StepWaiting', 'step sudo: macOS has locked m1'),
        ],
      },
      host: { steps: [{ ...waits, name: 'sudo', message: 'macOS has locked m1' }] },
    }),
    /has been Ready for 3h.*It is out of sync: step sudo: macOS has locked m1 \(StepWaiting, for 3h\)\..*Step sudo is waiting after 3 attempts/,
    /none, the provider retries/,
  ],
  [
    'explain of a Ready host with drift needs no action',
    explained({
      status: {
        conditions: [
          condition('Ready', 'True', 'Ready'),
          condition('HostBootstrapped', 'False', 'DriftFound', 'step tart: tart is missing'),
        ],
      },
    }),
    /It is out of sync: step tart: tart is missing \(DriftFound, for 3h\)\./,
    /none, the provider continues; minifleet get host .* --watch/,
  ],
  [
    'explain of a Ready host names a newer plan that waits',
    explained({
      status: { conditions: [condition('Ready', 'True', 'Ready')] },
      host: { plan: { desired: 'b', applied: 'a' } },
      spec: { fleetName: 'ci' },
    }),
    /A newer plan waits for its turn in the rollout\./,
    /minifleet plan --fleet ci/,
  ],
  [
    'explain of a paused machine gives the command to resume',
    explained({ status: { conditions: [condition('Paused', 'True', 'Paused')] } }),
    /is paused; the provider does not change its host/,
    /kubectl annotate samm mac-1 -n fleet cluster\.x-k8s\.io\/paused-/,
  ],
  [
    'explain of a paused MacMachine names its kind in the command to resume',
    explained({ kind: 'MacMachine', status: { conditions: [condition('Paused', 'True', 'Paused')] } }),
    /is paused; the provider does not change its host/,
    /kubectl annotate macm mac-1 -n fleet/,
  ],
  [
    'explain names the vendor error that blocks a deletion',
    explained({
      metadata: { deletionTimestamp: at },
      status: { conditions: [condition('Deleting', 'True', 'WaitingForVendor')] },
    }),
    /has been deleting for 3h: WaitingForVendor\. .* Its host is returned to the pool\./,
    /vendor-unavailable\.md/,
  ],
  [
    'explain of an unreconciled machine recommends minifleet doctor',
    explained({}),
    /is new; the provider has not reconciled it yet/,
    /minifleet doctor/,
  ],
  [
    'explain of an unschedulable pool names the runner counts and the cause',
    pool({
      idle: 1,
      busy: 2,
      pending: 1,
      conditions: [condition('Ready', 'False', 'Unschedulable', '0/3 nodes are available')],
    }),
    /has 4 desired runners: 2 busy, 1 idle, 1 pending\. Jobs may be waiting: 0\/3 nodes are available \(Unschedulable, for 3h\)/,
    /runners-pool-short\.md/,
  ],
  [
    'explain of a pool without its Secret names the GitHub condition first',
    pool({
      conditions: [
        condition('Ready', 'False', 'ForgeUnreachable'),
        condition('ForgeReachable', 'False', 'SecretMissing'),
      ],
    }),
    /SecretMissing/,
    /create the Secret with app-id, installation-id and private-key/,
  ],
  [
    'explain of a crashing pool quotes the last log line of a runner',
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
    'explain of a pending guest names the image pull',
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
    /has been Pending for 3h on Node node-1: Pulling: 3 of 40 GB\.$/,
    /none, the agent is starting the VM/,
  ],
  [
    'explain of a guest without a Node recommends listing the VM slots',
    pod({ status: { phase: 'Pending', startTime: at } }),
    /has been Pending for 3h without a Node/,
    /which Pods use the VM slots/,
  ],
  [
    'explain of a guest on a NotReady Node warns that its status may be outdated',
    pod(
      { spec: { nodeName: 'node-1' }, status: { phase: 'Running', startTime: at } },
      { metadata: { name: 'node-1' } },
    ),
    /Node node-1 is not Ready; the status may be outdated\./,
    /minifleet explain host\/node-1/,
  ],
  [
    'I10 explain of a Pod with a stale finalizer recommends minifleet unstick pods',
    pod({
      metadata: { ...gone.metadata, finalizers: ['tart-kubelet.tuist.dev/vm-cleanup'] },
      spec: { nodeName: 'gone' },
    }),
    /has been deleting for 3h\. It still exists because a finalizer holds it, although the Node /,
    /minifleet unstick pods/,
  ],
  [
    'explain of a deleted Pod whose VM may run points to the runbook',
    pod({ ...gone, spec: { nodeName: 'node-1' } }, macNode),
    /It still exists because the agent has not /,
    /pods-stuck-terminating\.md/,
  ],
  [
    'explain of a fleet names the machine that is not Ready and its cause',
    fleet({ spec: { replicas: 2 } }, [
      machine({ status: { conditions: [condition('Ready', 'True', 'Ready')] } }),
      machine({ status: { conditions: [condition('HostClaimed', 'False', 'NoHostAvailable', 'the pool is empty')] } }),
    ]),
    /has 1 Ready of 2 desired hosts \(2 machines\)\. mac-1: the pool is empty \(NoHostAvailable, for 3h\)\./,
    /pool-empty\.md/,
  ],
  [
    'explain of a fleet names the machine that halted the rollout',
    fleet(
      { spec: { replicas: 1 } },
      [machine({ status: { conditions: [condition('Ready', 'True', 'Ready')] }, spec: { claimRef: { name: 'id' } } })],
      [macHost({ consumerRef }, { plan: { desired: 'b', failed: 'b' } })],
    ),
    /The rollout is halted because fleet\/mac-1 failed the desired plan\./,
    /roll-halted\.md/,
  ],
  [
    'explain of a fleet names machines that Cluster API has not created',
    fleet(
      {
        spec: { replicas: 1 },
        status: { conditions: [condition('ScalingUp', 'True', 'ScalingUp', 'preflight checks failed')] },
      },
      [],
    ),
    /Cluster API has not created 1 machine: preflight checks failed\./,
    /kubectl describe machinedeployment runners -n fleet/,
  ],
];

describe('explanations', () => {
  for (const [name, { sentences, next }, expected, expectedNext] of TABLE) {
    test(name, () => {
      assert.match(sentences.join(' '), expected);
      assert.match(next, expectedNext);
    });
  }
});

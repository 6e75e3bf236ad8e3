import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MacHost } from '@minifleet/api';
import type { Condition } from '@minifleet/kube';
import type { InfraMachine } from '../cluster/machines.ts';
import { explainHost } from './explain-host.ts';
import type { ObjectExplanation } from './explanation.ts';

const at = '2030-01-01T00:00:00Z';
const LATER = '2030-01-01T02:00:00Z';
const now = Date.parse('2030-01-01T03:00:00Z');

const condition = (type: string, status: 'True' | 'False', reason: string, message = ''): Condition => ({
  ...{ type, status, reason, message },
  lastTransitionTime: at,
});
const consumerRef = { namespace: 'fleet', name: 'mac-1', uid: 'u' };

const AGENT_EXITS =
  'mini-01: node agent 8554ab4f does not keep running (the agent keeps exiting (7 starts): it exited with code 1; its log ends with: tart-kubelet: /etc/tart-kubelet/kubeconfig: invalid YAML); it was left in place';

/** Explains a MacHost, with the status of its machine if the machine exists. */
function host(spec: object, status: object, machineStatus?: object): ObjectExplanation {
  const mac = {
    metadata: { name: 'id' },
    spec: { pool: 'macs', ...spec },
    status: { stateSince: at, ...status },
  } as unknown as MacHost;
  const held = { metadata: { namespace: 'fleet', name: 'mac-1' }, spec: {}, status: machineStatus };
  const machine = machineStatus && (held as unknown as InfraMachine);
  return explainHost({ host: mac, machine, node: undefined, events: [], now });
}

const TABLE: readonly (readonly [string, ObjectExplanation, RegExp, RegExp])[] = [
  [
    'explain of a free host names its state, its pool and the last release',
    host({}, { state: 'Available', lastRelease: { epoch: 2, consumer: 'fleet/mac-9', reason: 'Returned', time: at } }),
    /^Host id in pool macs has been Available for 3h\. Machine fleet\/mac-9 released it at 2030-01-01T00:00:00Z \(Returned\)\.$/,
    /^none, the next machine that needs a host can claim it$/,
  ],
  [
    'explain of a free host that is not Ready names what it waits for',
    host(
      {},
      {
        state: 'Available',
        conditions: [condition('Ready', 'False', 'NotReady', 'Available: the vendor reports the server as starting')],
      },
    ),
    /has been Available for 3h: the vendor reports the server as starting\.$/,
    /^none, the provider continues$/,
  ],
  [
    'explain of a host that an operator quarantined gives its reason',
    host({ quarantine: { reason: 'its fan is loud', since: at } }, { state: 'Available', stateSince: LATER }),
    /^Host id in pool macs has been Quarantined for 3h\. It is quarantined: its fan is loud\. No machine can claim it\.$/,
    /minifleet release id/,
  ],
  [
    'explain of a host quarantined after failures names the failed step',
    host(
      {},
      {
        state: 'Quarantined',
        quarantine: { since: at, reasons: ['StepFailed'] },
        failures: [{ step: 'tart', reason: 'StepFailed', count: 5, lastTime: at }],
      },
    ),
    /is quarantined until an operator releases it after repeated failures \(StepFailed\)\. Bootstrap failed 5 times at step tart: StepFailed\./,
    /host-quarantined\.md/,
  ],
  [
    'explain of a host that two machines name points to the runbook',
    host(
      { consumerRef },
      { state: 'Serving', conditions: [condition('Claimed', 'False', 'MultipleConsumers', 'also b')] },
      { conditions: [condition('Ready', 'True', 'Ready')] },
    ),
    /^fleet\/mac-1 has been Ready for 3h .* also b \(MultipleConsumers, for 3h\)\. /,
    /duplicate-claim\.md/,
  ],
  [
    'explain of a host whose machine no longer exists names the machine, the job and the runbook',
    host(
      { consumerRef },
      {
        state: 'Bootstrapping',
        job: { id: 'j', startTime: at, deadlineTime: at },
        conditions: [condition('Claimed', 'False', 'ConsumerMissing', 'the machine fleet/mac-1 does not exist')],
      },
    ),
    /^Host id has been Bootstrapping for 3h\. Its machine fleet\/mac-1 does not exist\. .*ConsumerMissing.* A bootstrap job has been running for 3h\.$/,
    /orphan-hosts\.md/,
  ],
  [
    'explain of a restarting host names its machine and the state of the host',
    host(
      { consumerRef },
      {
        state: 'Restarting',
        failures: [{ step: 'tart', reason: 'StepFailed', count: 1, lastTime: at, message: 'no such file' }],
        conditions: [condition('Ready', 'False', 'NotReady', 'Restarting: requested from the vendor')],
      },
      { conditions: [condition('HostBootstrapped', 'False', 'RestartingHost', 'the provider restarts it')] },
    ),
    /^fleet\/mac-1 is not Ready: the provider restarts it \(RestartingHost, for 3h\)\. .*Host id has been Restarting for 3h: requested from the vendor\. Bootstrap failed once at step tart: no such file\.$/,
    /none, the provider continues/,
  ],
  [
    'explain of a host whose agent keeps exiting shows the last lines of the agent’s log',
    host(
      { consumerRef },
      {
        state: 'Serving',
        steps: [
          { name: 'agent-job', state: 'Waiting', reason: 'HostAgentNotStable', attempts: 2, message: AGENT_EXITS },
        ],
      },
      { conditions: [condition('HostBootstrapped', 'False', 'StepWaiting', `step agent-job: ${AGENT_EXITS}`)] },
    ),
    /is not Ready: step agent-job: .* its log ends with: tart-kubelet: .*kubeconfig: invalid YAML\); .*Step agent-job is waiting after 2 attempts: .*invalid YAML/,
    /machine-stuck\.md/,
  ],
  [
    'explain of a held host with a requested quarantine says when it starts',
    host(
      { consumerRef, quarantine: { reason: 'its fan is loud' } },
      { state: 'Serving' },
      { conditions: [condition('Ready', 'True', 'Ready')] },
    ),
    /It will be quarantined after its machine releases it: its fan is loud\.$/,
    /^none$/,
  ],
  [
    'explain of a Missing host says that the vendor no longer lists its server',
    host(
      {},
      {
        state: 'Missing',
        conditions: [
          condition('NameMirrored', 'False', 'HostMissing', 'the server no longer exists at the vendor'),
          condition('Ready', 'False', 'NotReady', 'Missing: the server no longer exists at the vendor'),
        ],
      },
    ),
    /^Host id in pool macs has been Missing for 3h: the server no longer exists at the vendor\./,
    /host-missing\.md/,
  ],
];

describe('explanations of hosts', () => {
  for (const [name, { sentences, next }, expected, expectedNext] of TABLE) {
    test(name, () => {
      assert.match(sentences.join(' '), expected);
      assert.match(next, expectedNext);
    });
  }
});

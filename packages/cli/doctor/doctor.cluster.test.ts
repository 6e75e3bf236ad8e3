import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatUnmanagedServers, names, UNMANAGED_SERVERS_LABEL, UNMANAGED_SERVERS_NAME } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { configMaps, customResourceDefinitions, pods, PROGRAM_NAMESPACE as SYSTEM } from '@minifleet/kube';
import { deleteDefinition } from '@minifleet/kube/testing';
import { macHosts } from '../cluster/resources.ts';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import { commandLine } from '../testing/command-line.ts';
import { hostId } from '../testing/fleet-cluster.ts';
import {
  condition,
  FLEET,
  type HealthyFleet,
  kubeconfigUntil,
  LONG_AGO,
  makeHost,
  makeMachine,
  makeNode,
  POOLS,
  providerID,
  startHealthyFleet,
  writeStatus,
} from './testing/healthy-fleet.ts';

interface Fault {
  readonly name: string;
  /** Check that finds the fault, and its message. */
  readonly check: string;
  readonly expected: RegExp;
  plant(fleet: HealthyFleet): Promise<unknown>;
}

const consumer = (name: string, uid: string) => ({
  ...{ apiGroup: names.groups.infrastructure, kind: 'ScalewayAppleSiliconMachine' },
  ...{ namespace: FLEET, name, uid },
});

const replace = '[{"op":"replace","path":"/data/value","value":"';

const FAULTS: readonly Fault[] = [
  {
    name: 'a CRD of an older version',
    check: 'CRDs',
    expected: /machosts\..* is older than this version: it lacks \.spec\.originalName/,
    plant: ({ client }) => {
      const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/originalName';
      const body = [{ op: 'remove', path }] as const;
      const key = { name: 'machosts.minifleet.dev' };
      return client.patch(customResourceDefinitions, key, { type: 'json', body });
    },
  },
  {
    name: 'a missing CRD',
    check: 'CRDs',
    expected: /scalewayapplesiliconmachinetemplates\..* is missing/,
    plant: ({ client }) =>
      deleteDefinition(client, 'scalewayapplesiliconmachinetemplates.infrastructure.cluster.x-k8s.io'),
  },
  {
    name: 'a missing provider permission',
    check: 'permissions',
    expected: /minifleet-provider is not allowed to get leases\.coordination\.k8s\.io, .* in minifleet-system/,
    plant: ({ kubectl }) => kubectl('delete', 'rolebinding', 'minifleet-provider', '-n', SYSTEM),
  },
  {
    name: 'a program that is not up',
    check: 'programs',
    expected: /minifleet-system\/minifleet-provider is scaled to 0/,
    plant: ({ kubectl }) => kubectl('scale', 'deployment/minifleet-provider', '--replicas=0', '-n', SYSTEM),
  },
  {
    name: 'the vendor’s Secret is gone',
    check: 'credentials',
    expected: /Secret minifleet-system\/scaleway not found \(required by minifleet-provider\)/,
    plant: ({ kubectl }) => kubectl('delete', 'secret', 'scaleway', '-n', SYSTEM),
  },
  {
    name: 'a GitHub App Secret without its key',
    check: 'credentials',
    expected:
      /Secret tuist-runners\/github-app has no key private-key \(required by RunnerPool tuist-runners\/macos-26\)/,
    plant: ({ kubectl }) =>
      kubectl(
        'patch',
        'secret',
        'github-app',
        '-n',
        POOLS,
        '--type=json',
        '-p',
        '[{"op":"remove","path":"/data/private-key"}]',
      ),
  },
  {
    name: 'a kubeconfig with an expired token',
    check: 'credentials',
    expected: /the credential in Secret minifleet-system\/macs-kubeconfig expired .* ago/,
    plant: ({ kubectl }) => {
      const ended = Buffer.from(kubeconfigUntil(Date.parse(LONG_AGO) / 1_000)).toString('base64');
      return kubectl('patch', 'secret', 'macs-kubeconfig', '-n', FLEET, '--type=json', '-p', `${replace}${ended}"}]`);
    },
  },
  {
    name: 'a quarantined host',
    check: 'pool',
    expected: new RegExp(`host ${hostId(9)} is quarantined: its fan is loud`),
    plant: ({ client }) => makeHost(client, 9, { quarantine: { reason: 'its fan is loud' } }),
  },
  {
    name: 'a server that nothing manages',
    check: 'pool',
    expected: /1 server of the Scaleway project has no MacHost and no pool: old-mini/,
    plant: ({ client }) => {
      const server = { zone: 'fr-par-1', id: hostId(20), name: 'old-mini', since: LONG_AGO };
      const labels = { [UNMANAGED_SERVERS_LABEL]: 'true' };
      return client.create(configMaps, {
        metadata: { namespace: SYSTEM, name: UNMANAGED_SERVERS_NAME, labels },
        data: formatUnmanagedServers([server]),
      });
    },
  },
  {
    name: 'a Missing host',
    check: 'hosts',
    expected: new RegExp(`host ${hostId(10)} is Missing: the vendor no longer lists its server`),
    plant: ({ client }) => makeHost(client, 10, {}, 'Missing'),
  },
  {
    name: 'a free host whose server was renamed at the vendor',
    check: 'hosts',
    expected: new RegExp(`host ${hostId(16)} is not Ready: `),
    plant: async ({ client }) => {
      await makeHost(client, 16, {});
      await writeStatus(client, macHosts, { name: hostId(16) }, { state: 'Available', vendorName: 'renamed' });
    },
  },
  {
    name: 'a host whose machine no longer exists',
    check: 'hosts',
    expected: new RegExp(`host ${hostId(11)} is held by machine ${FLEET}/gone, which does not exist`),
    plant: ({ client }) => makeHost(client, 11, { claimEpoch: 1, consumerRef: consumer('gone', 'none') }, 'Serving'),
  },
  {
    name: 'a host that is stuck in its release',
    check: 'hosts',
    expected: new RegExp(`host ${hostId(12)} has been Releasing for `),
    plant: async ({ client }) => {
      const uid = await makeMachine(client, 'leaving', {
        claimRef: { name: hostId(12), epoch: 1 },
        conditions: [condition('Ready', 'True', 'Ready')],
      });
      await makeHost(client, 12, { claimEpoch: 1, consumerRef: consumer('leaving', uid) }, 'Releasing');
    },
  },
  {
    name: 'two hosts of one machine',
    check: 'binding',
    expected: new RegExp(`hosts ${hostId(13)} and ${hostId(14)} are held by the same machine ${FLEET}/greedy`),
    plant: async ({ client }) => {
      const uid = await makeMachine(client, 'greedy', { conditions: [condition('Ready', 'True', 'Ready')] });
      for (const n of [13, 14])
        await makeHost(client, n, { claimEpoch: 1, consumerRef: consumer('greedy', uid) }, 'Serving');
    },
  },
  {
    name: 'an empty pool',
    check: 'pool',
    expected: /1 machine waits for a free host: minifleet-system\/hungry/,
    plant: ({ client }) =>
      makeMachine(client, 'hungry', { conditions: [condition('HostClaimed', 'False', 'NoHostAvailable')] }),
  },
  {
    name: 'a host that does not answer',
    check: 'hosts',
    expected: /minifleet-system\/silent is not Ready: HostUnreachable: connection timed out/,
    plant: ({ client }) =>
      makeMachine(client, 'silent', {
        claimRef: { name: hostId(3), epoch: 1 },
        conditions: [condition('HostBootstrapped', 'False', 'HostUnreachable', 'connection timed out')],
      }),
  },
  {
    name: 'two Nodes of one host',
    check: 'binding',
    expected: /Nodes mac-1 and mac-1-again have the same providerID/,
    plant: ({ client }) => makeNode(client, 'mac-1-again', { providerID: providerID(1), agent: '0.1.0' }),
  },
  {
    name: 'a Node without a machine',
    check: 'binding',
    expected: /Node orphan belongs to host .*, which no machine holds/,
    plant: ({ client }) => makeNode(client, 'orphan', { providerID: providerID(4), agent: '0.1.0' }),
  },
  {
    name: 'a machine without a Node',
    check: 'binding',
    expected: /minifleet-system\/lonely is bootstrapped, but no Node has its providerID/,
    plant: ({ client }) =>
      makeMachine(client, 'lonely', {
        providerID: providerID(5),
        conditions: [
          condition('HostBootstrapped', 'True', 'HostBootstrapped'),
          condition('NodeReady', 'False', 'WaitingForNode'),
        ],
      }),
  },
  {
    name: 'a Pod that the older agent’s finalizer holds',
    check: 'deletions',
    expected: /Pod default\/held is held by a finalizer: the Node no longer exists/,
    plant: async ({ client }) => {
      const key = { namespace: 'default', name: 'held' };
      const spec = { nodeName: 'gone', containers: [{ name: 'vm', image: 'macos' }] };
      await client.create(pods, { metadata: { ...key, finalizers: [names.finalizers.vmCleanup] }, spec });
      await client.delete(pods, key, { gracePeriodSeconds: 0 });
    },
  },
  {
    name: 'an agent that was left behind',
    check: 'agents',
    expected: /Node mac-2 runs agent 0\.0\.9, other Nodes 0\.1\.0/,
    plant: ({ kubectl }) => kubectl('label', 'node', 'mac-2', `${names.labels.agentVersion}=0.0.9`, '--overwrite'),
  },
];

describe('minifleet doctor against a real API server', () => {
  let fleet: HealthyFleet;
  before(async () => {
    fleet = await startHealthyFleet();
  });
  after(() => fleet?.stop());

  const run = (...argv: readonly string[]) =>
    commandLine({ clock: systemClock, environment: { KUBECONFIG: fleet.cluster.kubeconfigs.admin.path } })(...argv);
  const problems = async (...argv: readonly string[]): Promise<Diagnosis[]> => {
    const { output } = await run('doctor', '-o', 'json', ...argv);
    const { checks } = JSON.parse(output) as { checks: Diagnosis[] };
    return checks.filter(({ state }) => state !== 'ok');
  };

  test('doctor finds no problem in a healthy cluster', async () => {
    const { code, output, errors } = await run('doctor');
    assert.equal(code, 0, output + errors);
    assert.match(output, /permissions +✓ ok +all granted/);
    assert.match(output, /credentials +✓ ok +3 Secrets complete and valid/);
    assert.match(output, /no problems found\n$/);
  });

  test(`doctor reports each of ${FAULTS.length} planted faults once, with impact and fix, and nothing else`, async () => {
    for (const fault of FAULTS) await fault.plant(fleet);
    const found = await problems();
    for (const { name, check, expected } of FAULTS) {
      const matching = found.filter(each => each.check === check && expected.test(each.message));
      assert.equal(
        matching.length,
        1,
        `${name}: ${JSON.stringify(
          found.filter(each => each.check === check),
          undefined,
          2,
        )}`,
      );
      assert.ok(matching[0]?.impact && matching[0].fix, name);
    }
    assert.equal(found.length, FAULTS.length, JSON.stringify(found, undefined, 2));
    assert.equal((await run('doctor')).code, 3);
  });

  test('doctor ignores a MacHost that another cluster holds', async () => {
    const before = await problems();
    await makeHost(fleet.client, 15, { claimEpoch: 1, clusterID: 'other', consumerRef: consumer('moved', 'none') });
    assert.deepEqual(await problems(), before);
  });

  test('I10 doctor --fix releases only the Pod that provably runs no VM', async () => {
    const left = await problems('--fix');
    assert.equal(await fleet.client.find(pods, { namespace: 'default', name: 'held' }), undefined);
    assert.equal(left.length, FAULTS.length - 1);
  });

  test('doctor reports a check that the user is not allowed to run as unknown', async () => {
    const { path } = await fleet.cluster.userKubeconfig('guest');
    const { code, output } = await run('doctor', '--kubeconfig', path);
    assert.equal(code, 1);
    assert.match(output, /hosts +\? unknown +you are not allowed to list scalewayapplesiliconmachines/);
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  type MacHost,
  type MacMachineTemplate,
  macMachineTemplate,
  names,
  type ScalewayAppleSiliconMachine,
} from '@minifleet/api';
import { type Clock, milliseconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, connectClient, customResourceDefinitions, pods, readKubeconfig, secrets } from '@minifleet/kube';
import { createHostNetwork, type HostNetwork, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { networkOf } from '@minifleet/world/testing/mac';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import { clusters } from '../prepare/find-fleet.ts';
import { probeAgentRoute } from '../prepare/probe-agent-route.ts';
import { commandLine } from '../testing/command-line.ts';
import { hostId } from '../testing/fleet-cluster.ts';
import { installCrds } from '../testing/install-crds.ts';
import { sshMac } from '../testing/ssh-mac.ts';
import { macHosts, machines } from './resources.ts';

const id = hostId(1);

/** Waits three times shorter than the command, and still longer than the resolution of an address without a host. */
const quickClock: Clock = {
  ...systemClock,
  after: (duration, callback) => systemClock.after(milliseconds(duration / 3), callback),
};

describe('fleet commands against a real API server', () => {
  let cluster: LocalCluster;
  let client: Client;
  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    await installCrds({ client, clock: systemClock, signal: new AbortController().signal });
  });
  after(async () => {
    await client.close();
    await cluster.stop();
  });

  const run = (...argv: readonly string[]) =>
    commandLine({ clock: systemClock, environment: { KUBECONFIG: cluster.kubeconfigs.admin.path } })(...argv);
  const host = (name = id): Promise<MacHost> => client.get(macHosts, { name });

  test('a free host is quarantined and released by its server id', async () => {
    const source = { scaleway: { zone: 'fr-par-1', serverID: id } };
    await client.create(macHosts, { metadata: { name: id }, spec: { source, pool: 'tuist-pool-', claimEpoch: 0 } });
    const quarantined = await run('quarantine', id, '--reason', 'its fan is loud');
    assert.equal(quarantined.code, 0, quarantined.errors);
    assert.equal((await host()).spec.quarantine?.reason, 'its fan is loud');
    const record = { since: '2030-01-01T00:00:00Z', reasons: ['HostStepFailed'] };
    const body = { status: { quarantine: record } };
    await client.patch(macHosts, { name: id }, { type: 'merge', body }, { subresource: 'status' });
    const released = await run('release', id);
    assert.equal(released.code, 0, released.errors);
    const { spec, status } = await host();
    assert.deepEqual([spec.quarantine, status?.quarantine], [undefined, undefined]);
  });

  test('host add brings a Mac over SSH into a fleet, and does not overwrite a value of another field manager', async () => {
    await using mac = await sshMac();
    networkOf(mac.mac).listens = host => host === 'api.example.com';
    await createFleet(client);
    const environment = { KUBECONFIG: cluster.kubeconfigs.admin.path };
    const prompts = { password: async () => 'correct horse', confirm: async () => true };
    const argv = ['host', 'add', mac.address, '-i', mac.keyFile, '--accept-new-host-key', '--fleet', 'desk'];
    const add = (...more: readonly string[]) => mac.runWith({ environment, prompts }, ...argv, ...more);
    const added = await add();
    assert.equal(added.code, 0, added.output + added.errors);
    const { spec } = await host('mini-01');
    assert.deepEqual([spec.pool, spec.source.owned?.port], ['desk-pool', mac.server.port]);
    assert.match(spec.source.owned?.hostKey ?? '', /^SHA256:/);
    assert.ok(await client.find(secrets, { namespace: 'default', name: 'desk-ssh' }));

    const body = { spec: { source: { owned: { type: 'M4' } } } };
    await client.patch(macHosts, { name: 'mini-01' }, { type: 'merge', body }, { fieldManager: 'gitops' });
    const { code, errors } = await add('--type', 'M2');
    assert.equal(code, 1);
    assert.match(errors, /conflict with "gitops"/);
    assert.equal((await host('mini-01')).spec.source.owned?.type, 'M4');

    const removed = await mac.runWith({ environment, prompts }, 'host', 'remove', 'mini-01', '-i', mac.keyFile);
    assert.equal(removed.code, 0, removed.output + removed.errors);
    assert.equal(await client.find(macHosts, { name: 'mini-01' }), undefined);
  });

  describe('route from the API server to the node agent', { skip: noHostNetwork }, () => {
    let network: HostNetwork;
    before(async () => {
      network = await createHostNetwork({ name: 'route', addresses: 2, localAddresses: 2 });
    });
    after(() => network.stop());

    const probe = async (address: string | undefined, path = cluster.kubeconfigs.admin.path): Promise<Diagnosis> => {
      const user = connectClient(readKubeconfig(path), { clock: systemClock });
      const deps = { client: user, clock: quickClock, signal: new AbortController().signal, random: randomBytes };
      try {
        const [found, ...others] = await probeAgentRoute({ host: address ?? '', namespace: 'default' }, deps);
        assert.deepEqual([others, (await client.list(pods, { namespace: 'default' })).items], [[], []]);
        assert.ok(found);
        return found;
      } finally {
        await user.close();
      }
    };

    test('a port that refuses connections is reached', async () => {
      const { state, message } = await probe(network.localAddresses[0]);
      assert.deepEqual(
        [state, message.match(/\(.*\)/)?.[0]],
        ['ok', '(connection refused, as expected without the node agent)'],
      );
      assert.equal((await probe(network.addresses[0])).state, 'ok', 'in another network namespace');
    });

    test('a program on the port is reached, whether or not it speaks TLS', async t => {
      const [, address = ''] = network.localAddresses;
      const respond: RequestListener = (_, answer) => answer.writeHead(401).end('Unauthorized');
      // The API server does not verify the certificate.
      const { clientCertificate: cert, clientKey: key } = cluster.kubeconfigs.admin;
      for (const [server, how] of [
        [createServer(respond), 'a program accepted the connection'],
        [createTlsServer({ cert, key }, respond), 'a program responded with HTTP status 401'],
      ] as const) {
        await once(server.listen(10_250, address), 'listening');
        t.after(() => server.close());
        const { state, message } = await probe(address);
        assert.deepEqual([state, message.match(/\(.*\)/)?.[0]], ['ok', `(${how})`]);
        server.closeAllConnections();
        await new Promise(resolve => server.close(resolve));
      }
    });

    test('an address without a host is not reached', async () => {
      const { state, message, fix } = await probe(network.gateway.replace(/\d+$/, '250'));
      assert.equal(state, 'problem', message);
      assert.match(message, /no route to host|no answer within/);
      assert.match(fix ?? '', /allow TCP 10250/);
    });

    test('an address whose packets are dropped is not reached', async () => {
      const [, address] = network.addresses;
      const drop = ['-n', network.namespace, 'route', 'add', 'blackhole', `${network.gateway}/32`];
      await promisify(execFile)('ip', drop);
      const { state, message } = await probe(address);
      assert.equal(state, 'problem', message);
      assert.match(message, /no answer within 12s/);
    });

    test('a user who may not create Pods learns that the route was not checked', async () => {
      const guest = await cluster.userKubeconfig('guest');
      const { state, message } = await probe(network.localAddresses[0], guest.path);
      assert.equal(state, 'unknown');
      assert.match(message, /did not let you create Pods in namespace default \(pods is forbidden: User "guest"/);
    });
  });

  test('a validation error of the API server is printed unchanged', async () => {
    const { code, errors } = await run('quarantine', id, '--reason', 'x'.repeat(1025));
    assert.equal(code, 1);
    assert.match(errors, /spec\.quarantine\.reason/);
  });

  test('detach --dry-run changes nothing, and detach deletes the machine', async () => {
    const spec = { claimRef: { name: id, epoch: 1 } } as ScalewayAppleSiliconMachine['spec'];
    const key = { namespace: 'default', name: 'runners-a' };
    await client.create(machines, { metadata: { ...key, finalizers: [names.finalizers.machine] }, spec });
    const dry = await run('detach', 'runners-a', '--dry-run');
    assert.equal(dry.code, 0, dry.errors);
    assert.equal((await client.get(machines, key)).spec.hostRelease, 'Return');
    const command = run('detach', 'runners-a');
    await eventually(async () => (await client.get(machines, key)).metadata.deletionTimestamp);
    assert.equal((await client.get(machines, key)).spec.hostRelease, 'Retain');
    await client.patch(machines, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    const { code, output, errors } = await command;
    assert.equal(code, 0, errors);
    assert.match(output, /default\/runners-a deleted/);
  });
});

/** A fleet of MacMachines, and a Cluster without the rest of Cluster API. */
async function createFleet(client: Client): Promise<void> {
  const { group, version, kind, plural } = clusters;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const crd = {
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural } },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
  await client.create(customResourceDefinitions, crd);
  const metadata = { namespace: 'default', name: 'desk' };
  const spec = { template: { spec: { fleetName: 'desk', pool: 'desk-pool' } } };
  await client.create(macMachineTemplate.resource, { metadata, spec } as MacMachineTemplate);
  const controlPlaneEndpoint = { host: 'api.example.com', port: 6443 };
  await eventually(() =>
    client.create(clusters, { metadata, spec: { controlPlaneEndpoint } }).then(
      () => true,
      () => false,
    ),
  );
}

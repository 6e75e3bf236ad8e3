import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import {
  formatUnmanagedServers,
  names,
  runnerPool,
  UNMANAGED_SERVERS_LABEL,
  UNMANAGED_SERVERS_NAME,
} from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { ApiError, type Client, configMaps, nodes, pods, secrets } from '@minifleet/kube';
import { parse } from 'yaml';
import { macHosts, machineDeployments } from '../cluster/resources.ts';
import { terminalScreen } from '../terminal/testing/terminal-screen.ts';
import { commandLine } from '../testing/command-line.ts';
import { type FleetCluster, fleetCluster, hostId } from '../testing/fleet-cluster.ts';

const ready = { type: 'Ready', status: 'True', reason: 'Ready' } as const;
const silent =
  'connection timed out at 203.0.113.8 since the last restart of the switch in rack four of the data centre';

let cluster: FleetCluster;

/** Creates a Ready Mac with a VM, an unreachable Mac, a machine without a host, a quarantined host, and a free owned Mac. */
beforeEach(async () => {
  cluster = await fleetCluster();
  const { client, machine, status, host, hostStatus, clock } = cluster;
  const held = (n: number) => ({
    fleet: 'runners',
    spec: { fleetName: 'ci', claimRef: { name: hostId(n), epoch: 1 } },
  });
  await machine('mac-a', held(1));
  await status('mac-a', {}, [ready]);
  await machine('mac-b', held(2));
  await status('mac-b', {}, [
    { type: 'HostBootstrapped', status: 'False', reason: 'HostUnreachable', message: silent },
  ]);
  await machine('mac-c', { fleet: 'runners', namespace: 'fleet' });
  await status('mac-c', {}, [
    { type: 'HostClaimed', status: 'False', reason: 'NoHostAvailable', message: 'the pool is empty' },
  ]);
  await host(hostId(3), { quarantine: { reason: 'its fan is loud' } });
  await host('mini-01', { pool: 'desk' });
  await hostStatus('mini-01', { state: 'Available', hardware: { macOS: '26.3' } });
  const labels = { [names.labels.runtime]: 'tart', [names.labels.agentVersion]: '0.1.0' };
  const providerID = `${names.providerIDScheme}://fr-par-1/${hostId(1)}`;
  await client.create(nodes, { metadata: { name: 'node-a', labels }, spec: { providerID } });
  for (const [name, nodeName] of [
    ['job-1', 'node-a'],
    ['web', 'linux-1'],
  ] as const) {
    const metadata = { namespace: 'fleet', name, labels: { [names.labels.runnerPool]: 'macos-26' } };
    await client.create(pods, {
      metadata: name === 'web' ? { namespace: 'fleet', name } : metadata,
      spec: { nodeName, containers: [{ name: 'vm', image: 'macos' }] },
    });
  }
  const body = {
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'vm', state: { waiting: { reason: 'Pulling', message: '3 of 40 GB' } } }],
    },
  };
  await client.patch(pods, { namespace: 'fleet', name: 'job-1' }, { type: 'merge', body }, { subresource: 'status' });
  await clock.advance(minutes(180));
});

describe('minifleet get', () => {
  test('get hosts lists held Macs, machines without a host, and free and quarantined Macs', async () => {
    const { code, output } = await cluster.run('get', 'hosts');
    assert.equal(code, 0);
    assert.equal(
      output,
      `NAMESPACE   NAME                                   STATE         READY   SINCE   POOL          NODE     FLEET     MACOS   STEP   HOST                                   WHY
fleet       mac-a                                  Serving       True    3h      tuist-pool-   node-a   runners                  ${hostId(1)}
fleet       mac-b                                  Serving               3h      tuist-pool-            runners                  ${hostId(2)}   ${silent}
fleet       mac-c                                  NoHost                3h                             runners                                                         the pool is empty
            ${hostId(3)}   Quarantined           3h      tuist-pool-                                     ${hostId(3)}   its fan is loud
            mini-01                                Available             3h      desk                             26.3           mini-01
`,
    );
  });

  test('get hosts shows the step, the state and the reason of a host that is not Serving', async () => {
    const { hostStatus, status, run } = cluster;
    const running = {
      type: 'HostBootstrapped',
      status: 'False',
      reason: 'BootstrapRunning',
      message: 'step tart',
    } as const;
    await hostStatus(hostId(1), { state: 'Bootstrapping', currentStep: 'tart' });
    await status('mac-a', {}, [running]);
    assert.match((await run('get', 'hosts')).output, /mac-a +Bootstrapping .* tart +8f14e45f\S+ +step tart$/m);
    const message = 'Restarting: requested from the vendor';
    const notReady = { type: 'Ready', status: 'False', reason: 'NotReady', message } as const;
    await hostStatus(hostId(1), { state: 'Restarting' }, [notReady]);
    assert.match((await run('get', 'hosts')).output, /mac-a +Restarting .* requested from the vendor$/m);
    await hostStatus(hostId(1), { state: 'Missing' }, [{ ...notReady, message: 'Missing: the server is gone' }]);
    assert.match((await run('get', 'hosts')).output, /mac-a +Missing .* the server is gone$/m);
  });

  test('get hosts shows a quarantine that starts after the release, and a machine that no longer exists', async () => {
    const body = { spec: { quarantine: { reason: 'loud' } } };
    await cluster.client.patch(macHosts, { name: hostId(1) }, { type: 'merge', body });
    assert.match((await cluster.run('get', 'hosts')).output, /mac-a +Serving .* quarantined after its release: loud$/m);
    const consumerRef = { apiGroup: 'x', kind: 'MacMachine', namespace: 'other', name: 'gone', uid: 'u' };
    await cluster.host('mini-02', { consumerRef });
    assert.match(
      (await cluster.run('get', 'hosts')).output,
      /^other +gone +Claimed .* its machine other\/gone does not exist$/m,
    );
  });

  test('get hosts lists MacMachines with their owned Macs', async () => {
    await cluster.machine('desk-a', {
      kind: 'MacMachine',
      fleet: 'desk',
      spec: { claimRef: { name: 'mini-03', epoch: 1 } },
    });
    const providerID = `${names.ownedProviderIDScheme}://mini-03`;
    await cluster.client.create(nodes, { metadata: { name: 'node-d' }, spec: { providerID } });
    for (const name of ['desk-a', 'node-d', 'mini-03']) {
      const { output } = await cluster.run('get', 'host', name, '-o', 'wide');
      assert.match(output, /fleet +desk-a +Serving .*node-d +desk +mini-03 +192\.0\.2\.11 /, name);
    }
  });

  test('I34 get hosts shows the false condition of a Ready host', async () => {
    const message = 'step sudo: macOS has locked m1';
    const locked = { type: 'HostBootstrapped', status: 'False', reason: 'StepWaiting', message } as const;
    await cluster.status('mac-a', {}, [ready, locked]);
    const { output } = await cluster.run('get', 'hosts');
    assert.match(output, /mac-a +Serving +True .* step sudo: macOS has locked m1$/m);
  });

  test('get hosts sorts by name, with numbers in numeric order', async () => {
    for (const name of ['mac-10', 'mac-9', 'mac-9-b']) await cluster.machine(name, { fleet: 'runners' });
    const { output } = await cluster.run('get', 'hosts', '-n', 'fleet', '-o', 'name');
    const order = output.split('\n').map(line => line.split('/')[1]);
    assert.deepEqual(order, ['mac-9', 'mac-9-b', 'mac-10', hostId(1), hostId(2), 'mac-c', undefined]);
  });

  test('get drops columns and truncates the last one to fit the terminal', async () => {
    for (const kind of ['hosts', 'guests', 'runners', 'fleets']) {
      for (const columns of [80, 60]) {
        const screen = terminalScreen(columns);
        assert.equal(
          await commandLine({ ...cluster.context, output: screen })('get', kind).then(({ code }) => code),
          0,
        );
        for (const line of screen.text().split('\n')) assert.ok(line.length <= columns, `${kind}: ${line}`);
      }
    }
    const screen = terminalScreen(80);
    await commandLine({ ...cluster.context, output: screen })('get', 'hosts', '-n', 'fleet');
    assert.match(screen.text(), /^mac-b +Serving +3h +runners +connection timed .*…$/m);
  });

  /** Records all output to a terminal, with colours. */
  const terminal = () => {
    const written: string[] = [];
    return { isTTY: true, columns: 80, write: (text: string) => written.push(text), text: () => written.join('') };
  };

  test('get uses colours only on a terminal without NO_COLOR', async () => {
    const [coloured, plain] = [terminal(), terminal()];
    await commandLine({ ...cluster.context, output: coloured, colours: true })('get', 'hosts');
    assert.ok(coloured.text().includes('\u001b[32mServing'));
    await commandLine({ ...cluster.context, output: plain, colours: false })('get', 'hosts');
    assert.ok(!plain.text().includes('\u001b'));
    assert.ok(!(await cluster.run('get', 'hosts')).output.includes('\u001b'));
  });

  test('get host finds a host by machine name, Node name or server id', async () => {
    for (const name of ['mac-a', 'node-a', hostId(1)]) {
      const { output } = await cluster.run('get', 'host', name, '-o', 'wide');
      assert.match(
        output,
        new RegExp(`fleet +mac-a +Serving .*node-a +runners +${hostId(1)} +0\\.1\\.0 +fr-par-1 +1 +0\n$`),
      );
    }
    const { code, errors } = await cluster.run('get', 'host', 'missing');
    assert.equal(code, 1);
    assert.match(errors, /hosts "missing" not found; see `minifleet get hosts`/);
  });

  test('get -n and -l select rows, and an empty list prints nothing to standard output', async () => {
    const narrowed = await cluster.run(
      'get',
      'hosts',
      '-l',
      `${names.clusterApi.deploymentNameLabel}=runners`,
      '-o',
      'name',
    );
    assert.deepEqual(
      narrowed.output.split('\n').map(line => line.split('/')[1]),
      [hostId(1), hostId(2), 'mac-c', undefined],
    );
    assert.deepEqual(await cluster.run('get', 'hosts', '-n', 'other'), {
      code: 0,
      output: '',
      errors: 'No hosts found in other.\n',
    });
    assert.equal((await cluster.run('get', 'hosts', '-n', 'other', '-A')).code, 2);
  });

  test('get -o json prints a List, and -o yaml of one name prints the object', async () => {
    const list = JSON.parse((await cluster.run('get', 'hosts', '-o', 'json')).output) as {
      kind: string;
      items: { kind: string }[];
    };
    assert.deepEqual([list.kind, list.items.length], ['List', 5]);
    const one = parse((await cluster.run('get', 'host', 'mac-b', '-o', 'yaml')).output) as {
      metadata: { name: string };
    };
    assert.equal(one.metadata.name, hostId(2));
  });

  test('get guests lists the Pods on Macs, and get runners the Pods of pools', async () => {
    const guests = (await cluster.run('get', 'guests')).output;
    assert.match(guests, /fleet +job-1 +Running +3h +node-a +Pulling: 3 of 40 GB/);
    assert.doesNotMatch(guests, /web/);
    assert.match((await cluster.run('get', 'runners')).output, /fleet +job-1 +macos-26 +Running/);
  });

  /** Creates a runner like the runners controller: a Pod, and a Secret of the same name with its recorded state. */
  async function runner(name: string, annotations: Record<string, string>): Promise<void> {
    const labels = { [names.labels.runner]: 'true', [names.labels.runnerPool]: 'macos-26' };
    const metadata = { namespace: 'fleet', name, labels };
    await cluster.client.create(secrets, { metadata: { ...metadata, annotations } });
    const spec = { nodeName: 'node-a', containers: [{ name: 'runner', image: 'macos' }] };
    await cluster.client.create(pods, { metadata, spec });
  }
  const before = (length: number): string => new Date(cluster.clock.now() - length).toISOString();

  test('get runners shows the recorded state of a runner, or else the state of its Pod', async () => {
    const { onlineSince, jobSince } = names.annotations;
    await runner('job-2', { [onlineSince]: before(minutes(60)), [jobSince]: before(minutes(5)) });
    await runner('job-3', { [onlineSince]: before(minutes(60)) });
    await runner('job-4', {});
    await runner('job-5', { [jobSince]: before(minutes(5)) });
    const body = { status: { phase: 'Succeeded' } };
    await cluster.client.patch(
      pods,
      { namespace: 'fleet', name: 'job-5' },
      { type: 'merge', body },
      { subresource: 'status' },
    );
    const { output } = await cluster.run('get', 'runners', '-n', 'fleet');
    for (const line of [
      /^job-1 +macos-26 +Running +3h/m,
      /^job-2 +macos-26 +Busy +5m/m,
      /^job-3 +macos-26 +Idle +1h/m,
      /^job-4 +macos-26 +Starting +/m,
      /^job-5 +macos-26 +Succeeded +/m,
    ])
      assert.match(output, line);
  });

  test('get runners shows the state of the Pods if Secrets are forbidden', async () => {
    await runner('job-2', { [names.annotations.jobSince]: before(minutes(5)) });
    const refused = new ApiError({ code: 403, reason: 'Forbidden' }, { asked: 'GET secrets' });
    const { client } = cluster;
    const list: Client['list'] = (resource, options) =>
      resource.plural === 'secrets' ? Promise.reject(refused) : client.list(resource, options);
    const openCluster = () => ({ ...client, list, close: async () => undefined });
    const { output } = await commandLine({ ...cluster.context, openCluster })('get', 'runners', '-n', 'fleet');
    assert.match(output, /^job-2 +macos-26 +Pending +/m);
  });

  /** Creates the ConfigMap that the provider writes. */
  const unmanaged = (servers: Parameters<typeof formatUnmanagedServers>[0]) =>
    cluster.client.create(configMaps, {
      metadata: { namespace: 'fleet', name: UNMANAGED_SERVERS_NAME, labels: { [UNMANAGED_SERVERS_LABEL]: 'true' } },
      data: formatUnmanagedServers(servers),
    });
  const server = { zone: 'fr-par-1', id: hostId(9), name: 'old-mini', type: 'M2-L' };

  test('get hosts --unmanaged lists servers that nothing manages with their age', async () => {
    await unmanaged([
      { ...server, since: before(minutes(120)) },
      { ...server, id: hostId(8), name: 'new', since: before(minutes(5)) },
    ]);
    const { code, output } = await cluster.run('get', 'hosts', '--unmanaged');
    assert.equal(code, 0);
    assert.equal(
      output,
      `NAME       TYPE   ZONE       AGE   SERVER
new        M2-L   fr-par-1   5m    ${hostId(8)}
old-mini   M2-L   fr-par-1   2h    ${hostId(9)}
`,
    );
    assert.equal((await cluster.run('get', 'hosts', 'old-mini', '--unmanaged', '-o', 'name')).output, `${hostId(9)}\n`);
    assert.match((await cluster.run('get', 'hosts', 'missing', '--unmanaged')).errors, /"missing" not found/);
    const { servers } = JSON.parse((await cluster.run('get', 'hosts', '--unmanaged', '-o', 'json')).output) as {
      servers: { name: string }[];
    };
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['new', 'old-mini'],
    );
  });

  test('get fleets shows Ready and desired hosts and the runners of the pools', async () => {
    const { client } = cluster;
    const template = { spec: { infrastructureRef: { kind: 'ScalewayAppleSiliconMachineTemplate', name: 'runners' } } };
    const metadata = { namespace: 'fleet', name: 'runners' };
    const made = await client.create(machineDeployments, { metadata, spec: { replicas: 3, template } });
    await client.update(machineDeployments, { ...made, status: { readyReplicas: 1 } }, { subresource: 'status' });
    await client.create(machineDeployments, { metadata: { namespace: 'fleet', name: 'linux' }, spec: { replicas: 3 } });
    const spec = { ...(runnerPool.example as { spec: object }).spec, fleetSelector: 'ci', replicas: 4 };
    const pool = await client.create(runnerPool.resource, {
      metadata: { namespace: 'fleet', name: 'macos-26' },
      spec,
    } as never);
    await client.update(runnerPool.resource, { ...pool, status: { busy: 1, idle: 2 } }, { subresource: 'status' });
    const { output } = await cluster.run('get', 'fleets');
    assert.match(output, /fleet +runners +Degraded +1\/3 +1 busy, 2 idle of 4 +.*connection timed out/);
    assert.doesNotMatch(output, /linux/);
  });

  test('get --watch prints the table and then each changed row until Ctrl-C', async () => {
    const stop = new AbortController();
    const output = { ...terminal(), isTTY: false };
    const watching = commandLine({ ...cluster.context, output, signal: stop.signal })('get', 'hosts', '--watch');
    await eventually(() => output.text().includes('its fan is loud'));
    const before = output.text().length;
    await cluster.status('mac-b', {}, [ready]);
    await eventually(() => /fleet +mac-b +Serving +True/.test(output.text().slice(before)));
    assert.doesNotMatch(output.text().slice(before), /mac-a|NAMESPACE/);
    stop.abort();
    assert.equal((await watching).code, 0);
  });

  test('get --watch refuses -o json', async () => {
    const { code, errors } = await cluster.run('get', 'hosts', '-w', '-o', 'json');
    assert.equal(code, 2);
    assert.match(errors, /--watch prints a table/);
  });
});

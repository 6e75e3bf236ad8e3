import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { names, runnerPool } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { ApiError, type Client, nodes, pods, secrets } from '@minifleet/kube';
import { parse } from 'yaml';
import { machineDeployments } from '../cluster/resources.ts';
import { terminalScreen } from '../terminal/testing/terminal-screen.ts';
import { commandLine } from '../testing/command-line.ts';
import { type FleetCluster, fleetCluster, hostId } from '../testing/fleet-cluster.ts';

const ready = { type: 'Ready', status: 'True', reason: 'Ready' } as const;
const silent = 'nobody answers at 203.0.113.8 since the last restart of the switch in rack four of the data centre';

let cluster: FleetCluster;

/** A Ready Mac with a VM, one that does not answer, one that waits for a host, and a host put aside. */
beforeEach(async () => {
  cluster = await fleetCluster();
  const { client, machine, status, claim, clock } = cluster;
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
  await claim(hostId(3), { quarantine: { reason: 'its fan is loud' } });
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
  test('hosts: what each is, in which state, since when, on which Node, and why not; hosts without a machine come last', async () => {
    const { code, output } = await cluster.run('get', 'hosts');
    assert.equal(code, 0);
    assert.equal(
      output,
      `NAMESPACE   NAME                                   STATE      SINCE   NODE     FLEET     WHY
fleet       mac-a                                  Ready      3h      node-a   runners
fleet       mac-b                                  NotReady   3h               runners   ${silent}
fleet       mac-c                                  NoHost     3h               runners   the pool is empty
            ${hostId(3)}   Aside      3h                         its fan is loud
`,
    );
  });

  test('I34 a host that serves though something on it is not as wanted says what', async () => {
    const message = 'step sudo: macOS has locked m1';
    const locked = { type: 'HostBootstrapped', status: 'False', reason: 'StepWaiting', message } as const;
    await cluster.status('mac-a', {}, [ready, locked]);
    const { output } = await cluster.run('get', 'hosts');
    assert.match(output, /mac-a +Ready .* step sudo: macOS has locked m1$/m);
  });

  test('in the order of names, and numbers in them in the order of numbers', async () => {
    for (const name of ['mac-10', 'mac-9', 'mac-9-b']) await cluster.machine(name, { fleet: 'runners' });
    const { output } = await cluster.run('get', 'hosts', '-n', 'fleet', '-o', 'name');
    const order = output.split('\n').map(line => line.split('/')[1]);
    assert.deepEqual(order, ['mac-9', 'mac-9-b', 'mac-10', 'mac-a', 'mac-b', 'mac-c', undefined]);
  });

  test('80 columns are never exceeded: columns go, and the last one is cut', async () => {
    for (const kind of ['hosts', 'claims', 'guests', 'runners', 'fleets']) {
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
    assert.match(screen.text(), /^mac-b +NotReady +3h +runners +nobody answers .*…$/m);
  });

  /** What is written to a terminal, colours and all. */
  const terminal = () => {
    const written: string[] = [];
    return { isTTY: true, columns: 80, write: (text: string) => written.push(text), text: () => written.join('') };
  };

  test('colours only on a terminal, and not with NO_COLOR', async () => {
    const [coloured, plain] = [terminal(), terminal()];
    await commandLine({ ...cluster.context, output: coloured, colours: true })('get', 'hosts');
    assert.ok(coloured.text().includes('\u001b[32mReady'));
    await commandLine({ ...cluster.context, output: plain, colours: false })('get', 'hosts');
    assert.ok(!plain.text().includes('\u001b'));
    assert.ok(!(await cluster.run('get', 'hosts')).output.includes('\u001b'));
  });

  test('one host by the name of its machine, its Node or its server id; more columns with -o wide', async () => {
    for (const name of ['mac-a', 'node-a', hostId(1)]) {
      const { output } = await cluster.run('get', 'host', name, '-o', 'wide');
      assert.match(output, new RegExp(`fleet +mac-a +Ready .*0\\.1\\.0 +fr-par-1 +${hostId(1)}\n$`));
    }
    const { code, errors } = await cluster.run('get', 'host', 'nobody');
    assert.equal(code, 1);
    assert.match(errors, /there is none called nobody among the hosts; see `minifleet get hosts`/);
  });

  test('-n and -l narrow what is shown; nothing is said on the side, so that a pipe gets nothing', async () => {
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
      ['mac-a', 'mac-b', 'mac-c', undefined],
    );
    assert.deepEqual(await cluster.run('get', 'hosts', '-n', 'other'), {
      code: 0,
      output: '',
      errors: 'No hosts in other.\n',
    });
    assert.equal((await cluster.run('get', 'hosts', '-n', 'other', '-A')).code, 2);
  });

  test('-o json and -o yaml are the objects themselves, a List unless one is named', async () => {
    const list = JSON.parse((await cluster.run('get', 'hosts', '-o', 'json')).output) as {
      kind: string;
      items: { kind: string }[];
    };
    assert.deepEqual([list.kind, list.items.length], ['List', 4]);
    const one = parse((await cluster.run('get', 'host', 'mac-b', '-o', 'yaml')).output) as {
      metadata: { name: string };
    };
    assert.equal(one.metadata.name, 'mac-b');
  });

  test('guests are the Pods on Macs and no others; runners are those of pools', async () => {
    const guests = (await cluster.run('get', 'guests')).output;
    assert.match(guests, /fleet +job-1 +Running +3h +node-a +Pulling: 3 of 40 GB/);
    assert.doesNotMatch(guests, /web/);
    assert.match((await cluster.run('get', 'runners')).output, /fleet +job-1 +macos-26 +Running/);
  });

  /** A runner as the runners program keeps it: a Pod, and a Secret of the same name with what is known of it. */
  async function runner(name: string, annotations: Record<string, string>): Promise<void> {
    const labels = { [names.labels.runner]: 'true', [names.labels.runnerPool]: 'macos-26' };
    const metadata = { namespace: 'fleet', name, labels };
    await cluster.client.create(secrets, { metadata: { ...metadata, annotations } });
    const spec = { nodeName: 'node-a', containers: [{ name: 'runner', image: 'macos' }] };
    await cluster.client.create(pods, { metadata, spec });
  }
  const before = (length: number): string => new Date(cluster.clock.now() - length).toISOString();

  test('runners: with a job, without one, or not online yet, as far as it is written down; else what the Pod says', async () => {
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

  test('runners: who may not see Secrets sees what Pods say', async () => {
    await runner('job-2', { [names.annotations.jobSince]: before(minutes(5)) });
    const refused = new ApiError({ code: 403, reason: 'Forbidden' }, { asked: 'GET secrets' });
    const { client } = cluster;
    const list: Client['list'] = (resource, options) =>
      resource.plural === 'secrets' ? Promise.reject(refused) : client.list(resource, options);
    const openCluster = () => ({ ...client, list, close: async () => undefined });
    const { output } = await commandLine({ ...cluster.context, openCluster })('get', 'runners', '-n', 'fleet');
    assert.match(output, /^job-2 +macos-26 +Pending +/m);
  });

  test('claims say who holds which host', async () => {
    const { output } = await cluster.run('get', 'claims');
    assert.match(output, new RegExp(`${hostId(3)} +Aside +3h +its fan is loud`));
  });

  test('fleets count what is Ready of what is wanted, and what pools have of them', async () => {
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
    assert.match(output, /fleet +runners +Short +1\/3 +1 busy, 2 idle of 4 +.*nobody answers/);
    assert.doesNotMatch(output, /linux/);
  });

  test('--watch shows the table, then each line that changes, until the user stops it', async () => {
    const stop = new AbortController();
    const output = { ...terminal(), isTTY: false };
    const watching = commandLine({ ...cluster.context, output, signal: stop.signal })('get', 'hosts', '--watch');
    await eventually(() => output.text().includes('its fan is loud'));
    const before = output.text().length;
    await cluster.status('mac-b', {}, [ready]);
    await eventually(() => /fleet +mac-b +Ready/.test(output.text().slice(before)));
    assert.doesNotMatch(output.text().slice(before), /mac-a|NAMESPACE/);
    stop.abort();
    assert.equal((await watching).code, 0);
  });

  test('--watch with data is refused: a stream of tables is for people', async () => {
    const { code, errors } = await cluster.run('get', 'hosts', '-w', '-o', 'json');
    assert.equal(code, 2);
    assert.match(errors, /--watch shows a table/);
  });
});

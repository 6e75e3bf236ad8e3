import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import { type Client, connectClient, customResourceDefinitions, nodes, pods, readKubeconfig } from '@minifleet/kube';
import { findFreePorts, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { applyAccess, tokenOf } from '@minifleet/provider/testing/program';
import { POOLS_NAMESPACE as namespace, RUNNERS } from '@minifleet/runners/testing/program';
import { startWorld, type World } from '@minifleet/world';
import { type AgentStandIn, standInAgent } from './testing/agent-stand-in.ts';
import type { ProgramProcess } from './testing/program-process.ts';
import { createGithubAppSecret, startRunners, writeKubeconfig } from './testing/runners-process.ts';

const POOL = 'macos-26';

describe('the runners program, on a real API server with the rights in config/rbac, and the world’s forge', () => {
  let cluster: LocalCluster;
  let admin: Client;
  let world: World;
  let directory: string;
  let agent: AgentStandIn;
  let program: ProgramProcess;
  let metricsUrl: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'runners-'));
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    world = await startWorld({ hosts: 0, seed: 'runners', clock: systemClock, directory: join(directory, 'world') });
    await applyAccess(cluster, admin);
    await admin.create(customResourceDefinitions, runnerPool.crd() as never);
    const labels = { [names.labels.fleet]: 'runners', [names.labels.runtime]: names.labelValues.runtimeTart };
    await admin.create(nodes, { metadata: { name: 'mac-1', labels } });
    await createGithubAppSecret(admin, { namespace, name: 'github-app' }, world);
    agent = standInAgent({ admin, github: world.github, namespace, node: 'mac-1', now: () => systemClock.now() });
    const [port] = await findFreePorts(1);
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
    program = startRunners({
      root: fileURLToPath(new URL('../', import.meta.url)),
      kubeconfig: await writeKubeconfig(await tokenOf(admin, RUNNERS), cluster),
      ...{ namespace, world },
      flags: [`--bind-address=127.0.0.1:${port}`, '--forge-look-every=1s', '--log-level=debug', '--leader-elect'],
    });
  });
  after(async () => {
    await program.stop();
    await world.close();
    await admin.close();
    await cluster.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const pool = (): Promise<RunnerPool> => admin.get(runnerPool.resource, { namespace, name: POOL });
  const untilPool = (holds: (status: NonNullable<RunnerPool['status']>) => boolean, what: string) =>
    eventually(
      async () => {
        await agent.look();
        return holds((await pool()).status ?? {});
      },
      { what, deadline: seconds(180), interval: seconds(0.1) },
    );
  const anyRunner = async (): Promise<string> => (await admin.list(pods, { namespace })).items[0]?.metadata.name ?? '';
  const metrics = async (): Promise<string> => (await fetch(metricsUrl)).text();

  test('a pool comes to have as many idle runners as it wants', async () => {
    const { spec } = runnerPool.example;
    const forge = { account: world.githubApp.organization, secretName: 'github-app' };
    const manifest = { metadata: { namespace, name: POOL }, spec: { ...spec, replicas: 2, forge } };
    await admin.create(runnerPool.resource, manifest as never);
    await untilPool(({ idle }) => idle === 2, 'both runners are idle');
    assert.equal(world.github.state.runners.all.length, 2);
  });

  test('one that has done its job is replaced, and its end is counted', async () => {
    const runner = await anyRunner();
    await agent.beginJob(runner);
    await agent.endJob(runner);
    await untilPool(({ idle, ended }) => idle === 2 && ended?.['JobDone'] === 1, 'the place is filled');
    assert.equal(await admin.find(pods, { namespace, name: runner }), undefined);
  });

  test('the metrics tell of all this', async () => {
    const labels = `namespace="${namespace}",pool="${POOL}"`;
    await eventuallyHolds(async () => {
      const text = await metrics();
      for (const line of [
        `tuist_runners_pool_idle_replicas{${labels}} 2`,
        `tuist_runners_pool_ends_total{${labels},outcome="JobDone"} 1`,
        `tuist_runners_pool_replacement_seconds_count{${labels}} 1`,
        `tuist_runners_pool_start_seconds_count{${labels}} 3`,
        `tuist_runners_pool_ready{${labels},reason="Ready"} 1`,
        `tuist_runners_forge_requests_total{forge="github",call="singleJobRunner",outcome="ok"} 3`,
        'leader_election_master_status{name="runners-controller.tuist.dev"} 1',
      ]) {
        assert.ok(text.includes(line), line);
      }
    });
  });

  test('no key and no configuration is in the log', async () => {
    const key = await readFile(world.githubApp.keyFile, 'utf8');
    const secrets = [...key.split('\n').filter(line => line.length > 40), ...agent.configurations];
    assert.ok(secrets.length > 5);
    const log = program.log();
    assert.match(log, /Runner ended/);
    assert.deepEqual(
      secrets.filter(secret => log.includes(secret) || log.includes(Buffer.from(secret).toString('base64'))),
      [],
    );
  });

  test('a pool that is scaled by its jobs grows when one begins', async () => {
    const autoscaling = { enabled: true, minWarmPoolFloor: 2, maxReplicas: 4 };
    const body = { spec: { autoscaling } };
    await admin.patch(runnerPool.resource, { namespace, name: POOL }, { type: 'merge', body });
    const runner = await anyRunner();
    await agent.beginJob(runner);
    await untilPool(({ busy, idle }) => busy === 1 && idle === 2, 'a third runner is there');
    assert.equal((await pool()).spec.replicas, 3);
    await agent.endJob(runner);
    await untilPool(({ ended }) => ended?.['JobDone'] === 2, 'the job is done');
  });

  test('a pool that is deleted leaves nothing behind, in the cluster and in the forge', async () => {
    await admin.delete(runnerPool.resource, { namespace, name: POOL });
    await eventually(
      async () => {
        await agent.look();
        return (await admin.find(runnerPool.resource, { namespace, name: POOL })) === undefined;
      },
      { what: 'the pool is gone', deadline: seconds(180), interval: seconds(0.1) },
    );
    assert.deepEqual((await admin.list(pods, { namespace })).items, []);
    assert.deepEqual(world.github.state.runners.all, []);
    await eventuallyHolds(async () => assert.doesNotMatch(await metrics(), /pool_idle_replicas\{/));
  });

  test('asked to end, it ends in good order', async () => {
    assert.equal(await program.stop(), 0);
  });
});

import { fileURLToPath } from 'node:url';
import { names, runnerPool } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { type Client, connectClient, customResourceDefinitions, nodes, readKubeconfig, secrets } from '@minifleet/kube';
import { startLocalCluster } from '@minifleet/local-cluster';
import { applyAccess, tokenOf } from '@minifleet/provider/testing/program';
import { POOLS_NAMESPACE, RUNNERS } from '@minifleet/runners/testing/program';
import { startRunners, writeKubeconfig } from '../../../e2e/testing/runners-process.ts';
import { readProcessUsage } from '../../agent/host/processes.ts';
import { type MeteredProgram, startMeteredProgram } from '../../program/metered-program.ts';
import { sumOf } from '../../provider/measure/metrics-page.ts';
import { type RunnersMacs, startMacs } from '../macs/start-macs.ts';
import { macName, organization, poolName, type RunnersSize } from '../names.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FLEET = 'bench';

interface RunnersCounters {
  /** Reconciles of the pool controller. */
  readonly passes: number;
}

export type MeteredRunners = MeteredProgram<RunnersCounters>;

/** A real API server, GitHub with one organisation per pool, Macs, and the prerequisites of the program. */
export interface RunnersBench extends AsyncDisposable {
  readonly admin: Client;
  readonly macs: RunnersMacs;
  startProgram(): Promise<MeteredRunners>;
  createPools(): Promise<void>;
  /** CPU time of API server and etcd so far. */
  clusterSeconds(): number;
}

export async function openBench({ pools, runners }: RunnersSize): Promise<RunnersBench> {
  await using stack = new AsyncDisposableStack();
  const macs = stack.use(await startMacs(pools));
  const cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
  stack.defer(() => cluster.stop());
  const admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  stack.defer(() => admin.close());
  await applyAccess(cluster, admin);
  await admin.create(customResourceDefinitions, runnerPool.crd() as never);
  for (let pool = 0; pool < pools; pool++) await createPoolPrerequisites(admin, macs, pool);
  await macs.serve({ kubeconfig: cluster.kubeconfigs.admin.path, namespace: POOLS_NAMESPACE });
  const kubeconfig = await writeKubeconfig(await tokenOf(admin, RUNNERS), cluster);
  const opened = stack.move();
  return {
    admin,
    macs,
    startProgram: () =>
      startMeteredProgram({
        name: 'runners program',
        start: flags =>
          startRunners({
            ...{ root: ROOT, kubeconfig, namespace: POOLS_NAMESPACE, flags },
            world: { github: { url: macs.access.url } },
          }),
        figures: samples => ({
          passes: sumOf(samples, 'controller_runtime_reconcile_total', { controller: 'runner-pools' }),
        }),
      }),
    async createPools() {
      for (let pool = 0; pool < pools; pool++) await admin.create(runnerPool.resource, poolOf(pool, runners) as never);
    },
    clusterSeconds: () =>
      cluster.components.reduce(
        (sum, { pid }) => sum + (pid === undefined ? 0 : readProcessUsage(pid).processorTime / 1_000),
        0,
      ),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const secretName = (pool: number): string => `github-app-${pool}`;

/** Creates the Node of a Mac and the Secret of an organisation for one pool. */
async function createPoolPrerequisites(admin: Client, { access }: RunnersMacs, pool: number): Promise<void> {
  const labels = { [names.labels.fleet]: FLEET, [names.labels.runtime]: names.labelValues.runtimeTart };
  await admin.create(nodes, { metadata: { name: macName(pool), labels } });
  await admin.create(secrets, {
    metadata: { namespace: POOLS_NAMESPACE, name: secretName(pool) },
    stringData: {
      'app-id': String(access.app.id),
      'installation-id': String(access.installations[pool]),
      'private-key': access.app.privateKey,
    },
  });
}

const poolOf = (pool: number, replicas: number) => ({
  metadata: { namespace: POOLS_NAMESPACE, name: poolName(pool) },
  spec: {
    ...runnerPool.example.spec,
    replicas,
    fleetSelector: FLEET,
    forge: { account: organization(pool), secretName: secretName(pool) },
  },
});

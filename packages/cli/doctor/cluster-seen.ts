import {
  type ExternalControlPlane,
  externalControlPlane,
  type HostClaim,
  type RunnerPool,
  runnerPool,
} from '@minifleet/api';
import {
  type Client,
  type CustomResourceDefinition,
  customResourceDefinitions,
  isForbidden,
  type Node,
  nodes,
  type Pod,
  pods,
  type Secret,
  type ServiceAccount,
  secrets,
  serviceAccounts,
} from '@minifleet/kube';
import type { Samm } from '../cluster/machines.ts';
import { type Reading, readAll } from '../cluster/reading.ts';
import { type Deployment, deployments, hostClaims, machines } from '../cluster/resources.ts';
import { wantedSecrets } from './wanted-secrets.ts';

/** Everything the doctor judges by, read once. */
export interface ClusterSeen {
  readonly now: number;
  /** `v1.36.4`. */
  readonly kubernetes: string;
  readonly definitions: Reading<CustomResourceDefinition>;
  readonly accounts: Reading<ServiceAccount>;
  readonly programs: Reading<Deployment>;
  readonly machines: Reading<Samm>;
  readonly claims: Reading<HostClaim>;
  readonly nodes: Reading<Node>;
  readonly pods: Reading<Pod>;
  readonly pools: Reading<RunnerPool>;
  readonly controlPlanes: Reading<ExternalControlPlane>;
  /** By `namespace/name`; only those that something names. One that does not exist is absent. */
  readonly secrets: ReadonlyMap<string, Secret | 'forbidden'>;
}

/** All lists at once; then the Secrets that what was listed names, each alone: nobody needs the right to list them. */
export async function readCluster(client: Client, now: number): Promise<ClusterSeen> {
  const [version, definitions, accounts, programs, samms, claims, allNodes, allPods, pools, controlPlanes] =
    await Promise.all([
      client.send({ method: 'GET', path: '/version' }),
      readAll(client, customResourceDefinitions),
      readAll(client, serviceAccounts),
      readAll(client, deployments, { labelSelector: 'app.kubernetes.io/part-of=minifleet' }),
      readAll(client, machines),
      readAll(client, hostClaims),
      readAll(client, nodes),
      readAll(client, pods),
      readAll(client, runnerPool.resource),
      readAll(client, externalControlPlane.resource),
    ]);
  const listed = { programs, pools, controlPlanes };
  const { gitVersion } = JSON.parse(version) as { gitVersion: string };
  return {
    ...{ now, kubernetes: gitVersion, definitions, accounts, machines: samms, claims, nodes: allNodes, pods: allPods },
    ...listed,
    secrets: await readSecrets(client, wantedSecrets(listed)),
  };
}

async function readSecrets(
  client: Client,
  wanted: ReturnType<typeof wantedSecrets>,
): Promise<ReadonlyMap<string, Secret | 'forbidden'>> {
  const found = await Promise.all(
    wanted.map(async ({ namespace, name }) => {
      try {
        return [`${namespace}/${name}`, await client.find(secrets, { namespace, name })] as const;
      } catch (error) {
        if (!isForbidden(error)) throw error;
        return [`${namespace}/${name}`, 'forbidden'] as const;
      }
    }),
  );
  return new Map(found.flatMap(([name, secret]) => (secret === undefined ? [] : [[name, secret] as const])));
}

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
  type KubeSecret,
  type Node,
  nodes,
  type Pod,
  pods,
  type ServiceAccount,
  secrets,
  serviceAccounts,
} from '@minifleet/kube';
import { type ListResult, listAll } from '../cluster/list-all.ts';
import type { ScalewayAppleSiliconMachine } from '../cluster/machines.ts';
import { deployments, hostClaims, machines, type ProgramDeployment } from '../cluster/resources.ts';
import { requiredSecrets } from './required-secrets.ts';

/** Objects that the doctor checks, read once. */
export interface ClusterSnapshot {
  readonly now: number;
  /** `v1.36.4`. */
  readonly kubernetes: string;
  readonly definitions: ListResult<CustomResourceDefinition>;
  readonly accounts: ListResult<ServiceAccount>;
  readonly programs: ListResult<ProgramDeployment>;
  readonly machines: ListResult<ScalewayAppleSiliconMachine>;
  readonly claims: ListResult<HostClaim>;
  readonly nodes: ListResult<Node>;
  readonly pods: ListResult<Pod>;
  readonly pools: ListResult<RunnerPool>;
  readonly controlPlanes: ListResult<ExternalControlPlane>;
  /** Referenced Secrets by `namespace/name`. A Secret that does not exist is absent. */
  readonly secrets: ReadonlyMap<string, KubeSecret | 'forbidden'>;
}

/** Reads all lists at once, then each referenced Secret alone, so that no permission to list Secrets is needed. */
export async function readCluster(client: Client, now: number): Promise<ClusterSnapshot> {
  const [version, definitions, accounts, programs, allMachines, claims, allNodes, allPods, pools, controlPlanes] =
    await Promise.all([
      client.send({ method: 'GET', path: '/version' }),
      listAll(client, customResourceDefinitions),
      listAll(client, serviceAccounts),
      listAll(client, deployments, { labelSelector: 'app.kubernetes.io/part-of=minifleet' }),
      listAll(client, machines),
      listAll(client, hostClaims),
      listAll(client, nodes),
      listAll(client, pods),
      listAll(client, runnerPool.resource),
      listAll(client, externalControlPlane.resource),
    ]);
  const listed = { programs, pools, controlPlanes };
  const { gitVersion } = JSON.parse(version) as { gitVersion: string };
  return {
    ...{
      now,
      kubernetes: gitVersion,
      definitions,
      accounts,
      machines: allMachines,
      claims,
      nodes: allNodes,
      pods: allPods,
    },
    ...listed,
    secrets: await readSecrets(client, requiredSecrets(listed)),
  };
}

async function readSecrets(
  client: Client,
  required: ReturnType<typeof requiredSecrets>,
): Promise<ReadonlyMap<string, KubeSecret | 'forbidden'>> {
  const found = await Promise.all(
    required.map(async ({ namespace, name }) => {
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

import {
  type ExternalControlPlane,
  externalControlPlane,
  type InfraMachine,
  type MacHost,
  type RunnerPool,
  runnerPool,
  UNMANAGED_SERVERS_LABEL,
} from '@minifleet/api';
import {
  type Client,
  type ConfigMap,
  type CustomResourceDefinition,
  configMaps,
  customResourceDefinitions,
  isForbidden,
  type KubeSecret,
  type Node,
  namespaces,
  nodes,
  type Pod,
  pods,
  type ServiceAccount,
  secrets,
  serviceAccounts,
} from '@minifleet/kube';
import { type ListResult, listAll } from '../cluster/list-all.ts';
import { deployments, macHosts, machines, macMachines, type ProgramDeployment } from '../cluster/resources.ts';
import { requiredSecrets } from './required-secrets.ts';

/** Objects that the doctor checks, read once. */
export interface ClusterSnapshot {
  readonly now: number;
  /** `v1.36.4`. */
  readonly kubernetes: string;
  readonly definitions: ListResult<CustomResourceDefinition>;
  readonly accounts: ListResult<ServiceAccount>;
  readonly programs: ListResult<ProgramDeployment>;
  /** Machines of both kinds. */
  readonly machines: ListResult<InfraMachine>;
  /** Without those that another cluster holds, which `clusterctl move` leaves behind. */
  readonly hosts: ListResult<MacHost>;
  /** ConfigMaps that list servers which nothing manages. */
  readonly unmanaged: ListResult<ConfigMap>;
  readonly nodes: ListResult<Node>;
  readonly pods: ListResult<Pod>;
  readonly pools: ListResult<RunnerPool>;
  readonly controlPlanes: ListResult<ExternalControlPlane>;
  /** Referenced Secrets by `namespace/name`. A Secret that does not exist is absent. */
  readonly secrets: ReadonlyMap<string, KubeSecret | 'forbidden'>;
}

/** Reads all lists at once, then each referenced Secret alone, so that no permission to list Secrets is needed. */
export async function readCluster(client: Client, now: number): Promise<ClusterSnapshot> {
  const [
    version,
    definitions,
    accounts,
    programs,
    rented,
    owned,
    hosts,
    allNodes,
    allPods,
    pools,
    controlPlanes,
    unmanaged,
    clusterId,
  ] = await Promise.all([
    client.send({ method: 'GET', path: '/version' }),
    listAll(client, customResourceDefinitions),
    listAll(client, serviceAccounts),
    listAll(client, deployments, { labelSelector: 'app.kubernetes.io/part-of=minifleet' }),
    listAll(client, machines),
    listAll(client, macMachines),
    listAll(client, macHosts),
    listAll(client, nodes),
    listAll(client, pods),
    listAll(client, runnerPool.resource),
    listAll(client, externalControlPlane.resource),
    listAll(client, configMaps, { labelSelector: UNMANAGED_SERVERS_LABEL }),
    readClusterId(client),
  ]);
  const listed = { programs, pools, controlPlanes };
  const { gitVersion } = JSON.parse(version) as { gitVersion: string };
  return {
    ...{
      now,
      kubernetes: gitVersion,
      definitions,
      accounts,
      machines: joinLists(rented, owned),
      hosts: { ...hosts, items: hosts.items.filter(host => !isElsewhere(host, clusterId)) },
      unmanaged,
      nodes: allNodes,
      pods: allPods,
    },
    ...listed,
    secrets: await readSecrets(client, requiredSecrets(listed)),
  };
}

const joinLists = (one: ListResult<InfraMachine>, other: ListResult<InfraMachine>): ListResult<InfraMachine> => {
  const unreadable = one.unreadable ?? other.unreadable;
  return { items: [...one.items, ...other.items], ...(unreadable === undefined ? {} : { unreadable }) };
};

const isElsewhere = ({ spec }: MacHost, clusterId: string | undefined): boolean =>
  spec.clusterID !== undefined && clusterId !== undefined && spec.clusterID !== clusterId;

/** Returns the UID of the namespace kube-system; undefined if the user may not read it. */
async function readClusterId(client: Client): Promise<string | undefined> {
  try {
    return (await client.find(namespaces, { name: 'kube-system' }))?.metadata.uid;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
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

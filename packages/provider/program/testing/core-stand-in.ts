import {
  externalControlPlane,
  names,
  type ScalewayAppleSiliconMachine,
  scalewayAppleSiliconCluster,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import {
  certificateSigningRequests,
  isNotFound,
  type KubeObject,
  nodes,
  type OwnerReference,
  type Resource,
} from '@minifleet/kube';
import { afterWrites, type MemoryApi } from '@minifleet/kube/testing';
import { capiMachines, clusters } from '../../cluster-api/kinds.ts';

const namespace = 'fleet';
const CLUSTER = { namespace, name: 'mac' };
const machines = scalewayAppleSiliconMachine.resource;

/** Simulates the parts of Cluster API and of the controller manager that the lifecycle of a machine needs. */
export interface CoreStandIn {
  makeCluster(): Promise<void>;
  makeMachine(name: string, spec?: Partial<ScalewayAppleSiliconMachine['spec']>): Promise<void>;
  /** Deletes the infrastructure machine, and its Node and Machine once it is gone. */
  deleteMachine(name: string): Promise<void>;
  /** Records a machine that was deleted without its finalizer. `tick` then deletes its Node and Machine. */
  forget(name: string): void;
  /** Reacts to the changes since the last call. */
  tick(): Promise<void>;
}

export function coreStandIn(api: MemoryApi): CoreStandIn {
  const { client } = api;
  const leaving = new Set<string>();

  async function followCluster(): Promise<void> {
    const infra = await client.find(scalewayAppleSiliconCluster.resource, CLUSTER);
    const cluster = await client.find(clusters, CLUSTER);
    const provisioned = infra?.status?.initialization?.provisioned === true;
    if (!cluster || !provisioned || cluster.status?.initialization?.infrastructureProvisioned) return;
    const status = { initialization: { infrastructureProvisioned: true } };
    await client.patch(clusters, CLUSTER, { type: 'merge', body: { status } }, { subresource: 'status' });
  }

  async function followDeletions(): Promise<void> {
    for (const name of leaving) {
      if (await client.find(machines, { namespace, name })) continue;
      await gone(client.delete(nodes, { name }));
      await gone(client.delete(capiMachines, { namespace, name }));
      leaving.delete(name);
    }
  }

  async function sign(): Promise<void> {
    const { items } = await client.list(certificateSigningRequests);
    for (const { metadata, status } of items) {
      if (status?.certificate || !status?.conditions?.some(({ type }) => type === 'Approved')) continue;
      const body = { status: { certificate: Buffer.from('signed').toString('base64') } };
      await client.patch(
        certificateSigningRequests,
        { name: metadata.name },
        { type: 'merge', body },
        { subresource: 'status' },
      );
    }
  }

  const followObjects = afterWrites(api, async () => {
    await followCluster();
    await sign();
  });

  return {
    async makeCluster() {
      const cluster = await client.create(clusters, {
        metadata: CLUSTER,
        spec: {
          controlPlaneEndpoint: { host: 'api.example', port: 6443 },
          infrastructureRef: referenceTo(scalewayAppleSiliconCluster.resource),
          controlPlaneRef: referenceTo(externalControlPlane.resource),
        },
      });
      const metadata = { ...CLUSTER, ownerReferences: [ownerOf(cluster)] };
      await client.create(scalewayAppleSiliconCluster.resource, { metadata, spec: {} });
      await client.create(externalControlPlane.resource, { metadata, spec: { kubeconfigSource: 'Minted' } });
    },
    async makeMachine(name, spec = {}) {
      const infrastructureRef = { ...referenceTo(machines), name };
      const owner = await client.create(capiMachines, {
        metadata: { namespace, name },
        spec: { clusterName: CLUSTER.name, infrastructureRef },
      });
      const labels = { [names.clusterApi.clusterNameLabel]: CLUSTER.name };
      await client.create(machines, {
        metadata: { namespace, name, labels, ownerReferences: [{ ...ownerOf(owner), controller: true }] },
        spec: { fleetName: 'runners', ...spec } as ScalewayAppleSiliconMachine['spec'],
      });
    },
    async deleteMachine(name) {
      await client.delete(machines, { namespace, name });
      leaving.add(name);
    },
    forget: name => void leaving.add(name),
    async tick() {
      await followDeletions();
      await followObjects();
    },
  };
}

const referenceTo = ({ group, kind }: Resource) => ({ apiGroup: group, kind, name: CLUSTER.name });

const ownerOf = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject): OwnerReference => ({
  ...{ apiVersion, kind, name, uid },
});

const gone = (deletion: Promise<void>): Promise<void> =>
  deletion.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });

import { externalControlPlane } from '@minifleet/api';
import { configMaps, connectClient, isConditionTrue, nodes, parseKubeconfig, secrets } from '@minifleet/kube';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import type { Stage } from '../stage.ts';

const CLUSTER = 'minifleet';
const KUBECONFIG = `${CLUSTER}-kubeconfig`;

/** What happened to the Secret that core reaches its own cluster with. It is the cluster's: each of these takes it from all fleets, for half a minute at most. */
export const clusterBreakages: readonly Breakage[] = [
  {
    id: 'I15',
    title: `the Secret ${KUBECONFIG} of Cluster API is gone`,
    fleets: FLEETS,
    promise: 'it is minted again, and opens the cluster',
    within: HEALED_WITHIN,
    alone: true,
    async strike(stage) {
      const { client, namespace } = stage;
      const before = await client.get(secrets, { namespace, name: KUBECONFIG });
      await client.delete(secrets, { namespace, name: KUBECONFIG });
      return {
        did: `deleted the Secret ${KUBECONFIG}`,
        async look() {
          const minted = await mintedAnew(stage, before.metadata.uid);
          return minted ? { healed: `the Secret ${KUBECONFIG} is another one, and good: ${minted.proof}` } : undefined;
        },
      };
    },
  },
  {
    id: 'I16',
    title: `the Secret ${KUBECONFIG} is garbage-collected with an owner it was given`,
    fleets: FLEETS,
    promise: 'it is minted again without that owner, and opens the cluster',
    within: HEALED_WITHIN,
    alone: true,
    async strike(stage) {
      const { client, namespace } = stage;
      const before = await client.get(secrets, { namespace, name: KUBECONFIG });
      const owner = await client.create(configMaps, { metadata: { namespace, name: `${KUBECONFIG}-source` } });
      const { name, uid } = owner.metadata;
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
      const body = { metadata: { ownerReferences } };
      await client.patch(secrets, { namespace, name: KUBECONFIG }, { type: 'merge', body });
      await client.delete(configMaps, { namespace, name });
      return {
        did: `made a ConfigMap the owner of ${KUBECONFIG}, as an ExternalSecret was, and deleted that`,
        async look() {
          const minted = await mintedAnew(stage, before.metadata.uid);
          const owners = minted?.owners.join(', ');
          return minted && owners === externalControlPlane.resource.kind
            ? { healed: `the Secret is another one, which the ${owners} alone owns, and good: ${minted.proof}` }
            : undefined;
        },
      };
    },
  },
];

interface Minted {
  /** Their kinds. */
  readonly owners: readonly string[];
  /** What was seen with it. */
  readonly proof: string;
}

/** Undefined as long as there is none but the one before, or it is not good. */
async function mintedAnew({ client, clock, namespace }: Stage, before?: string): Promise<Minted | undefined> {
  const secret = await client.find(secrets, { namespace, name: KUBECONFIG });
  if (!secret?.data?.['value'] || secret.metadata.uid === before) return undefined;
  const controlPlane = await client.find(externalControlPlane.resource, { namespace, name: CLUSTER });
  if (!controlPlane || !isConditionTrue(controlPlane, 'KubeconfigReady')) return undefined;
  const text = Buffer.from(secret.data['value'], 'base64').toString();
  const core = connectClient(parseKubeconfig(text, { path: KUBECONFIG }), { clock });
  try {
    const proof = `it lists ${(await core.list(nodes)).items.length} Nodes`;
    return { owners: (secret.metadata.ownerReferences ?? []).map(({ kind }) => kind), proof };
  } finally {
    await core.close();
  }
}

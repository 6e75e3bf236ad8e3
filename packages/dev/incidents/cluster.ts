import { externalControlPlane } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import {
  type Client,
  configMaps,
  connectClient,
  isAlreadyExists,
  isConditionTrue,
  type Node,
  nodes,
  parseKubeconfig,
  secrets,
} from '@minifleet/kube';
import { FLEETS } from '../up/fleets/share-hosts.ts';
import type { FaultTarget } from './fault-target.ts';
import { AGENT, AGENT_PLIST, readAgentJob, UNTIL_UNLOADED } from './fixtures/agent-job.ts';
import { ignoreNotFound } from './fixtures/preconditions.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';

const CLUSTER = 'minifleet';
const KUBECONFIG = `${CLUSTER}-kubeconfig`;

interface NewKubeconfig {
  /** Kinds of its owners. */
  readonly owners: readonly string[];
  /** Result of a request with it. */
  readonly proof: string;
}

/** Returns the new kubeconfig Secret; undefined until it exists and works. */
async function findNewKubeconfig(
  { client, clock, namespace }: FaultTarget,
  oldUid?: string,
): Promise<NewKubeconfig | undefined> {
  const secret = await client.find(secrets, { namespace, name: KUBECONFIG });
  if (!secret?.data?.['value'] || secret.metadata.uid === oldUid) return undefined;
  const controlPlane = await client.find(externalControlPlane.resource, { namespace, name: CLUSTER });
  if (!controlPlane || !isConditionTrue(controlPlane, 'KubeconfigReady')) return undefined;
  const text = Buffer.from(secret.data['value'], 'base64').toString();
  const connection = connectClient(parseKubeconfig(text, { path: KUBECONFIG }), { clock });
  try {
    const proof = `it lists ${(await connection.list(nodes)).items.length} Nodes`;
    return { owners: (secret.metadata.ownerReferences ?? []).map(({ kind }) => kind), proof };
  } finally {
    await connection.close();
  }
}

/** Recreates the Node without its providerID. Repeats it when the agent is back already and has registered the Node first. */
async function recreateNode(client: Client, name: string, attempts = 5): Promise<Node> {
  await client.delete(nodes, { name }).catch(ignoreNotFound);
  try {
    return await client.create(nodes, { metadata: { name } });
  } catch (error) {
    if (!isAlreadyExists(error) || attempts === 1) throw error;
    return recreateNode(client, name, attempts - 1);
  }
}

/**
 * Incidents with Nodes and with the kubeconfig Secret of Cluster API. The Secret belongs to the whole cluster: without it all fleets lack
 * Cluster API for up to 30 s.
 */
export const clusterIncidents: readonly Incident[] = [
  {
    id: 'I15',
    title: 'Cluster API has no kubeconfig for its own cluster',
    live: {
      fault: `the Secret ${KUBECONFIG} of Cluster API is deleted`,
      fleets: FLEETS,
      expected: 'the Secret is created again, and gives access to the cluster',
      within: REPAIRED_WITHIN,
      alone: true,
      async inject(target) {
        const { client, namespace } = target;
        const before = await client.get(secrets, { namespace, name: KUBECONFIG });
        await client.delete(secrets, { namespace, name: KUBECONFIG });
        return {
          action: `deleted the Secret ${KUBECONFIG}`,
          async check() {
            const created = await findNewKubeconfig(target, before.metadata.uid);
            return created ? { repaired: `the new Secret ${KUBECONFIG} works: ${created.proof}` } : undefined;
          },
        };
      },
    },
  },
  {
    id: 'I16',
    title: 'the kubeconfig Secret is garbage-collected in the middle of a deploy',
    live: {
      fault: `the Secret ${KUBECONFIG} gets an owner and is garbage-collected with it`,
      fleets: FLEETS,
      expected: 'the Secret is created again without that owner, and gives access to the cluster',
      within: REPAIRED_WITHIN,
      alone: true,
      async inject(target) {
        const { client, namespace } = target;
        const before = await client.get(secrets, { namespace, name: KUBECONFIG });
        const owner = await client.create(configMaps, { metadata: { namespace, name: `${KUBECONFIG}-source` } });
        const { name, uid } = owner.metadata;
        const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
        const body = { metadata: { ownerReferences } };
        await client.patch(secrets, { namespace, name: KUBECONFIG }, { type: 'merge', body });
        await client.delete(configMaps, { namespace, name });
        return {
          action: `made a ConfigMap the owner of ${KUBECONFIG}, as an ExternalSecret was, and deleted the ConfigMap`,
          async check() {
            const created = await findNewKubeconfig(target, before.metadata.uid);
            const owners = created?.owners.join(', ');
            return created && owners === externalControlPlane.resource.kind
              ? { repaired: `the new Secret works and has only the ${owners} as owner: ${created.proof}` }
              : undefined;
          },
        };
      },
    },
  },
  {
    id: 'I20',
    title: 'a Node registers without its providerID',
    live: {
      fault: 'a Node exists without its providerID',
      fleets: FLEETS,
      expected: 'the agent writes its providerID into the Node, and the Machine finds its Node',
      within: seconds(90),
      async inject(target) {
        const { client, name, run } = target;
        const providerID = (await target.machine())?.spec.providerID;
        await run(`launchctl bootout ${AGENT}\n${UNTIL_UNLOADED}`);
        const created = await recreateNode(client, name);
        await run(`launchctl bootstrap system ${AGENT_PLIST}`);
        return {
          action: 'unloaded the agent, recreated the Node by hand without a providerID, and loaded the agent',
          async check() {
            const node = await target.node();
            const same = node?.metadata.uid === created.metadata.uid && node?.spec?.providerID === providerID;
            return same && (await target.isReady())
              ? { repaired: `the same Node has ${providerID}, and its machine is Ready` }
              : undefined;
          },
        };
      },
    },
  },
  {
    id: 'I37',
    title: 'deleting a Node by hand causes a whole bootstrap',
    live: {
      fault: 'a Node is deleted by hand',
      fleets: FLEETS,
      expected: 'the same agent process registers the Node again, without a job on the host',
      within: seconds(60),
      async inject(target) {
        const { client, name } = target;
        const [before, machine, { pid }] = await Promise.all([target.node(), target.machine(), readAgentJob(target)]);
        await client.delete(nodes, { name });
        return {
          action: 'deleted the Node',
          async check() {
            const [node, now, host, agent] = await Promise.all([
              target.node(),
              target.machine(),
              target.host(),
              readAgentJob(target),
            ]);
            const recreated = node && node.metadata.uid !== before?.metadata.uid;
            const same =
              node?.spec?.providerID === machine?.spec.providerID && now?.metadata.uid === machine?.metadata.uid;
            const untouched = pid !== undefined && agent.pid === pid && !host?.status?.job;
            return recreated && same && untouched && (await target.isReady())
              ? { repaired: `the Node is back with its providerID, registered by the same agent (pid ${pid})` }
              : undefined;
          },
        };
      },
    },
  },
];

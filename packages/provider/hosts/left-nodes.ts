import { type MacHost, macHost } from '@minifleet/api';
import { type Client, type Node, nodes } from '@minifleet/kube';
import { hasOwnAgent } from '../cluster-api/lost-node.ts';
import { fenceHost } from './fence.ts';
import type { HandlerDeps, HostScope } from './host-scope.ts';

/** True for a Node whose agent reports that it works. */
export const isNodeReady = (node: Node | undefined): boolean =>
  node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

/** True if Minifleet's agent on the host works. The Node of a host of the previous system stays Ready for a while after its agent ended. */
export const isAgentReady = (node: Node | undefined): boolean =>
  node !== undefined && hasOwnAgent(node) && isNodeReady(node);

/** Fenced by the UID: the Node of another agent with the same name stays. */
const deleteNode = (client: Client, { metadata }: Node): Promise<unknown> =>
  client.delete(nodes, { name: metadata.name }, { preconditions: { uid: metadata.uid ?? '' } });

/**
 * Deletes the Node of a host that leaves its machine. Cluster API deletes no Nodes of a Cluster that is being deleted, and the next Node of
 * this Mac would have another providerID.
 */
export async function deleteOwnNode({ host, node }: HostScope, { client, clusterId }: HandlerDeps): Promise<void> {
  const { providerID } = host.spec.desired ?? {};
  if (!node || providerID === undefined || node.spec?.providerID !== providerID) return;
  await fenceHost(client, host, clusterId);
  await deleteNode(client, node);
}

/**
 * Deletes Nodes of a free host, which its agent registered again between the release and the reinstallation. A Node that is Ready has a
 * live agent and stays: its agent could not be removed, or its machine lost its claim.
 */
export async function deleteLeftNodes(
  { host, registered, others }: HostScope,
  { client, log }: HandlerDeps,
): Promise<void> {
  const left = registered.filter(node => !isNodeReady(node));
  if (left.length === 0 || others.length > 0 || !(await isFree(client, host))) return;
  for (const node of left) {
    await deleteNode(client, node);
    log.info({ host: host.metadata.name, node: node.metadata.name }, 'Deleted the Node of a free host');
  }
}

async function isFree(client: Client, { metadata }: MacHost): Promise<boolean> {
  const now = await client.find(macHost.resource, { name: metadata.name });
  return now !== undefined && now.metadata.uid === metadata.uid && now.spec.consumerRef === undefined;
}

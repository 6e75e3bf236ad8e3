import { seconds } from '@minifleet/clock';
import { type Client, isAlreadyExists, type Node, nodes } from '@minifleet/kube';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import type { Breakage } from '../breakage.ts';
import { AGENT, AGENT_LIST, agentJobOf, UNTIL_GONE } from '../scenes/agent-job.ts';
import { unlessGone } from '../scenes/unless-gone.ts';

/** What happened to Nodes. */
export const nodeBreakages: readonly Breakage[] = [
  {
    id: 'I20',
    title: 'a Node is there without its providerID',
    fleets: FLEETS,
    promise: 'the agent writes its id into the Node that has none, and Machine and Node find each other',
    within: seconds(90),
    async strike(stage) {
      const { client, name, run } = stage;
      const providerID = (await stage.machine())?.spec.providerID;
      await run(`launchctl bootout ${AGENT}\n${UNTIL_GONE}`);
      const made = await makeByHand(client, name);
      await run(`launchctl bootstrap system ${AGENT_LIST}`);
      return {
        did: 'took the agent out, made the Node anew by hand without a providerID, and let the agent back in',
        async look() {
          const node = await stage.node();
          const same = node?.metadata.uid === made.metadata.uid && node?.spec?.providerID === providerID;
          return same && (await stage.isWell())
            ? { healed: `the same Node has ${providerID}, and its machine is Ready` }
            : undefined;
        },
      };
    },
  },
  {
    id: 'I37',
    title: 'a Node is deleted by hand',
    fleets: FLEETS,
    promise: 'the agent registers it again; nothing is done on the host, and the agent runs on',
    within: seconds(60),
    async strike(stage) {
      const { client, name } = stage;
      const [before, samm, { pid }] = await Promise.all([stage.node(), stage.machine(), agentJobOf(stage)]);
      await client.delete(nodes, { name });
      return {
        did: 'deleted the Node',
        async look() {
          const [node, now, agent] = await Promise.all([stage.node(), stage.machine(), agentJobOf(stage)]);
          const anew = node && node.metadata.uid !== before?.metadata.uid;
          const same = node?.spec?.providerID === samm?.spec.providerID && now?.metadata.uid === samm?.metadata.uid;
          const untouched = pid !== undefined && agent.pid === pid && !now?.status?.job;
          return anew && same && untouched && (await stage.isWell())
            ? { healed: `it is back with its providerID, registered by the same agent (pid ${pid})` }
            : undefined;
        },
      };
    },
  },
];

/** Anew where the provider has the agent back meanwhile, which registers the Node at once. */
async function makeByHand(client: Client, name: string, tries = 5): Promise<Node> {
  await client.delete(nodes, { name }).catch(unlessGone);
  try {
    return await client.create(nodes, { metadata: { name } });
  } catch (error) {
    if (!isAlreadyExists(error) || tries === 1) throw error;
    return makeByHand(client, name, tries - 1);
  }
}

import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type Duration, seconds } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import { type Collector, garbageCollection } from '../gc/collector.ts';

import { defaultRetention } from '../gc/image-retention.ts';
import { createGuiSession, type GuiSession } from '../gui-session/gui-session.ts';
import { openThisMac } from '../gui-session/local-transport.ts';
import { readDiskSpace } from '../images/disk-account.ts';
import { createImages, type ImageStore, type Images } from '../images/images.ts';

import { createNode, type MacNode } from '../node/create-node.ts';
import { watchStarts } from '../observe/start-stages.ts';
import { createPods, type Pods } from '../pods/pods.ts';
import { type AgentContext, VM_SLOTS } from './agent-context.ts';
import type { AgentFlags } from './flags.ts';
import type { HostDeps } from './host-deps.ts';
import type { ClusterDeps } from './join-cluster.ts';
import { nodeView } from './node-view.ts';
import { observeVms } from './observe-vms.ts';

/** The Mac as a Node, and the Pods on it. */
interface AgentNode {
  readonly node: MacNode;
  readonly pods: Pods;
  readonly images: Images;
  /** Undefined under `--disable-vm-gc`. */
  readonly collector: Collector | undefined;
}

type NodeDeps = AgentContext & HostDeps & ClusterDeps;

/** `late` is filled on the way: the parts ask each other, though none of them before all are there. */
export function openAgentNode(given: NodeDeps, late: { node?: MacNode; pods?: Pods }): AgentNode {
  const { clock, log, ledger, metrics, tart } = given;
  const session = sessionOf(given, () => late.node?.probes.guiSession.checkNow());
  const collector = collectorOf(given, late);
  const images = createImages({
    tart,
    clock,
    log,
    ledger,
    reclaim: collector?.collect,
    onPulled: pull => metrics.pulled(pull),
  });
  const node = nodeOf(given, session, images);
  late.node = node;
  const pods = podsOf({ ...given, session, images, node });
  late.pods = pods;
  return { node, pods, images, collector };
}

const sessionOf = ({ clock, environment, flags, log, user }: NodeDeps, onRepaired: () => void): GuiSession =>
  createGuiSession({
    host: openThisMac({ clock, user, name: flags.nodeName, environment }),
    user,
    log,
    onRepaired,
  });

const collectorOf = (
  given: NodeDeps,
  late: { readonly node?: MacNode; readonly pods?: Pods },
): Collector | undefined => {
  const { clock, flags, guests, ledger, log, logs, metrics, tart, tartHome } = given;
  return garbageCollection(flags.disableVmGc, {
    tart,
    guests,
    ledger,
    clock,
    log,
    disk: () => readDiskSpace(tartHome),
    retention: defaultRetention,
    pods: () => (late.pods?.synced && given.recovered() ? late.pods.list().map(seen) : undefined),
    golden: () => ({ names: flags.goldenImages, labels: Object.keys(late.node?.current?.metadata.labels ?? {}) }),
    directories: { tart: tartHome, pods: join(flags.stateDirectory, 'pods'), logs },
    onCollected: report => metrics.collected(report),
  });
};

const seen = ({ metadata, spec }: Pod) => ({
  uid: metadata.uid ?? '',
  images: spec?.containers.flatMap(({ image }) => image ?? []) ?? [],
});

function nodeOf(given: NodeDeps, session: GuiSession, images: ImageStore): MacNode {
  const { flags, identity, metrics } = given;
  return createNode({
    ...given,
    images,
    settings: {
      name: flags.nodeName,
      providerId: flags.providerId,
      labels: flags.labels,
      taints: flags.taints,
      maxPods: flags.maxPods,
      vmSlots: VM_SLOTS,
      hostCpu: flags.hostCpu,
      hostMemoryMegabytes: flags.hostMemoryMb,
      model: given.facts.model,
      kubeletPort: flags.port,
      version: given.version,
      declaredFeatures: ['ExtendWebSocketsToKubelet'],
    },
    nodeIp: flags.nodeIp,
    interfaces: networkInterfaces,
    guiSession: async () => {
      const finding = await session.check();
      metrics.guiSession(finding.status === 'True');
      return finding;
    },
    vms: () => observeVms(given),
    diskPath: given.tartHome,
    ownImages: () => given.ledger.owned(),
    promisedBytes: () => images.promisedBytes(),
    certificates: () => identity.finding(),
    onAddresses: () => identity.addressesChanged(),
    guestsRecovered: () => given.recovered(),
  });
}

interface NodePodDeps extends NodeDeps {
  readonly session: GuiSession;
  readonly images: Images;
  readonly node: MacNode;
}

const podsOf = (given: NodePodDeps): Pods =>
  createPods({
    nodeName: given.flags.nodeName,
    client: given.client,
    clock: given.clock,
    log: given.log,
    events: given.events,
    guests: given.guests,
    images: given.images,
    slots: given.slots,
    node: () => nodeView(given.flags.nodeName, given.node.current),
    directories: { state: given.flags.stateDirectory, logs: given.logs },
    bootWithin: bootWithin(given.flags),
    beforeStart: () => given.session.require(),
    stages: watchStarts(given.clock, (...start) => given.metrics.started(...start)),
  });

const bootWithin = ({ bootTimeoutSeconds: limit }: AgentFlags): Duration | undefined =>
  limit === undefined ? undefined : seconds(limit);

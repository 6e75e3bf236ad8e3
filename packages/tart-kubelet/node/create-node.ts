import type { NetworkInterfaceInfo } from 'node:os';
import type { Clock } from '@minifleet/clock';
import type { Client, EventNote, EventRecorder, Log, Node } from '@minifleet/kube';
import { chooseAddress } from '../host-facts/choose-address.ts';
import type { MacFacts } from '../host-facts/host-facts.ts';
import { accountDisk, type DiskAccount } from '../images/disk-account.ts';
import type { NodeFinding } from './finding.ts';
import { judgeNode, type NodeObservations, OWN_CONDITIONS, type OwnCondition } from './node-conditions.ts';
import { createNodeLease } from './node-lease.ts';
import { createNodeProbes, type NodeProbeOptions, type NodeProbes } from './node-probes.ts';
import type { NodeSettings } from './node-settings.ts';
import { findingsOf, type NodeImage, nodeStatus } from './node-status.ts';
import { createOwnNode, type OwnNode } from './own-node.ts';

export interface NodeOptions extends Omit<NodeProbeOptions, 'onChange'> {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly settings: NodeSettings;
  readonly facts: MacFacts;
  /** Address set by the operator (default: chosen from the interfaces at each report). */
  readonly nodeIp?: string | undefined;
  readonly interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>;
  /** Images pulled by this agent, by digest. */
  readonly ownImages: () => ReadonlyMap<string, unknown>;
  /** Disk space that pulls in progress will still use. */
  readonly promisedBytes: () => number;
  /** State of the node's certificates. */
  readonly certificates: () => NodeFinding | undefined;
  /** Called when the Node's addresses may have changed: the serving certificate must follow. */
  readonly onAddresses?: (() => void) | undefined;
  /** True once guests of a previous agent process have been recovered. */
  readonly guestsRecovered: () => boolean;
}

/** This Mac as a Node: object, status, lease and probes, each on its own timer. */
export interface MacNode extends OwnNode {
  readonly probes: NodeProbes;
  /** Disk usage by owner, as last measured. */
  disk(): DiskAccount | undefined;
  /** Names and addresses on the Node, for its serving certificate. */
  hosts(): readonly string[];
}

export function createNode(options: NodeOptions): MacNode {
  const { client, clock, log, settings } = options;
  const probes = createNodeProbes({ ...options, onChange: () => node.refresh() });
  const images = latestImages(probes);
  const disk = (): DiskAccount | undefined => {
    const space = probes.vitals.latest?.disk;
    const [vms, owned] = [probes.vms.latest ?? [], options.ownImages()];
    return space && accountDisk({ space, images: images(), vms, owned, promisedBytes: options.promisedBytes() });
  };

  const node = createOwnNode({
    client,
    clock,
    log,
    settings,
    status: live =>
      nodeStatus({
        settings,
        facts: options.facts,
        findings: judgeNode({ ...observationsOf(options, probes), disk: disk() }, findingsOf(live)),
        address: chooseAddress(options.interfaces(), options.nodeIp),
        diskBytes: probes.vitals.latest?.disk?.totalBytes,
        tartVersion: probes.tart.latest?.version,
        images: images(),
      }),
    onRegistered: ({ metadata }) => {
      log.info({ uid: metadata.uid }, 'Node registered');
      lease.renewNow();
    },
    onReported: (before, after) => {
      for (const event of statusEvents(before, after)) options.events.record(event);
      options.onAddresses?.();
    },
  });
  const lease = createNodeLease({
    client,
    clock,
    log,
    nodeName: settings.name,
    nodeUid: () => node.current?.metadata.uid,
  });

  return {
    probes,
    disk,
    hosts: () => node.current?.status?.addresses?.map(({ address }) => address) ?? [],
    get current() {
      return node.current;
    },
    refresh: () => node.refresh(),
    async run(signal) {
      await Promise.all([probes.run(signal), node.run(signal), lease.run(signal)]);
    },
  };
}

const observationsOf = (options: NodeOptions, probes: NodeProbes): NodeObservations => ({
  vitals: probes.vitals.latest,
  guiSession: probes.guiSession.latest,
  tart: probes.tart.latest?.finding,
  imageStore: probes.imageStore.latest?.finding,
  vms: probes.vms.latest,
  vmSlots: options.settings.vmSlots,
  certificates: options.certificates(),
  guestsRecovered: options.guestsRecovered(),
});

/** A failed listing does not empty the Node's image list: the images are still there. */
function latestImages(probes: NodeProbes): () => readonly NodeImage[] {
  let known: readonly NodeImage[] = [];
  return () => {
    known = probes.imageStore.latest?.images ?? known;
    return known;
  };
}

/** Status in which a condition indicates a problem. */
const problemStatus = (type: OwnCondition): 'True' | 'False' =>
  type.endsWith('Pressure') || type === 'ForeignVMs' ? 'True' : 'False';

/** Events for the changes between two reports; none for the first report of a new Node. */
export const statusEvents = (before: Node | undefined, after: Node): EventNote[] => [
  ...rebootEvents(before, after),
  ...conditionEvents(before, after),
];

/** Uses kubelet's message. */
function rebootEvents(before: Node | undefined, after: Node): EventNote[] {
  const [was, is] = [before?.status?.nodeInfo?.bootID, after.status?.nodeInfo?.bootID];
  if (!was || !is || was === is) return [];
  const note = `Node ${after.metadata.name} has been rebooted, boot id: ${is}`;
  return [{ regarding: after, type: 'Warning', reason: 'Rebooted', action: 'ReportStatus', note }];
}

/** One event for each condition that became a problem, changed its reason, or was resolved. */
function conditionEvents(before: Node | undefined, after: Node): EventNote[] {
  const [was, is] = [findingsOf(before), findingsOf(after)];
  return OWN_CONDITIONS.flatMap(type => {
    const [old, now] = [was[type], is[type]];
    if (!old || !now) return [];
    const problem = now.status === problemStatus(type);
    if (!isEventDue(old, now, problem)) return [];
    const reason = type === 'Ready' ? (problem ? 'NodeNotReady' : 'NodeReady') : now.reason;
    const note = `${type} is ${now.status}: ${now.message}`;
    return [{ regarding: after, type: problem ? 'Warning' : 'Normal', reason, action: 'ReportStatus', note }];
  });
}

function isEventDue(old: NodeFinding, now: NodeFinding, problem: boolean): boolean {
  if (now.status === 'Unknown') return false;
  if (problem) return old.status !== now.status || old.reason !== now.reason;
  return old.status !== now.status && old.status !== 'Unknown';
}

import * as names from '@minifleet/api/names';
import { type Clock, createBackOff, type Duration, milliseconds, minutes, seconds } from '@minifleet/clock';
import {
  type Client,
  createInformer,
  errorFields,
  isAlreadyExists,
  isForbidden,
  isNotFound,
  type Log,
  type NewObject,
  type Node,
  nodes,
} from '@minifleet/kube';
import { nodeLabels } from './node-labels.ts';
import type { NodeSettings } from './node-settings.ts';
import { newStatus, type OwnedNodeStatus, ownPart, statusPatch } from './node-status.ts';
import { createWakeableSleep } from './wakeable-sleep.ts';

/**
 * Set by the infrastructure provider and removed by Cluster API once it has written its labels: until then no Pod may
 * be scheduled.
 */
const UNINITIALIZED = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' } as const;

/**
 * Builds a new Node. Taints can only be set now: NodeRestriction forbids a node to change them later. Without a
 * provider id there is no machine controller, and nothing would remove the uninitialized taint.
 */
export function newNode(settings: NodeSettings, status: object): NewObject<Node> {
  const { name, providerId } = settings;
  return {
    metadata: { name, labels: nodeLabels(settings) },
    spec: {
      taints: [{ ...names.taints.macos }, ...(settings.taints ?? []), ...(providerId ? [UNINITIALIZED] : [])],
      ...(providerId ? { providerID: providerId } : {}),
    },
    status,
  };
}

/**
 * Merge patch that adopts an existing Node: labels that are missing or differ, and the provider id if unset. Foreign
 * labels stay, and an existing id is never overwritten (I20). Undefined: nothing to do.
 */
export function nodeCorrection(node: Node, settings: NodeSettings): object | undefined {
  const expected = Object.entries(nodeLabels(settings));
  const wrong = expected.filter(([key, value]) => node.metadata.labels?.[key] !== value);
  const { providerId } = settings;
  const adopts = providerId !== undefined && providerId !== '' && !node.spec?.providerID;
  if (wrong.length === 0 && !adopts) return undefined;
  return {
    ...(wrong.length > 0 ? { metadata: { labels: Object.fromEntries(wrong) } } : {}),
    ...(adopts ? { spec: { providerID: providerId } } : {}),
  };
}

/** An unchanged status is sent at this interval. */
const REPORT_EVERY = minutes(5);

/**
 * Report interval of this process: up to 50 % more or less, chosen once, so that a rack that booted together spreads
 * out.
 */
export const reportInterval = (random: number): Duration => milliseconds(REPORT_EVERY * (0.5 + random));

interface LastStatusReport {
  readonly at: number;
  /** The status as sent. */
  readonly sent: string;
  /** The status as the server returned it: without fields it does not know, and with normalised quantities. */
  readonly accepted: string;
}

/**
 * Decides whether a status must be sent. Compares the desired status with the last one sent, and the live Node with the
 * server's response to it: a server that drops a field is not sent it forever, and a foreign overwrite is corrected
 * immediately.
 */
export function reportDue(
  last: LastStatusReport | undefined,
  now: { readonly at: number; readonly sent: string; readonly live: string },
  every: Duration,
): boolean {
  if (!last || last.sent !== now.sent || last.accepted !== now.live) return true;
  // A clock set back must not suppress reports for the length of the jump.
  return now.at >= last.at + every || now.at < last.at;
}

interface OwnNodeOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: NodeSettings;
  /** Computes the current status from known data; must not wait for anything. */
  readonly status: (live: Node | undefined) => OwnedNodeStatus;
  /** Called when the Node exists: for the first time, or again after its deletion. */
  readonly onRegistered?: (node: Node) => void;
  /** Called after a status was sent. */
  readonly onReported?: (before: Node | undefined, after: Node) => void;
}

/** This host's Node: created, kept in sync, recreated after a deletion. Never touches guests (I37). */
export interface OwnNode {
  readonly current: Node | undefined;
  /** Triggers an immediate check because an input of the status has changed. */
  refresh(): void;
  run(signal: AbortSignal): Promise<void>;
}

const CHECK_INTERVAL = seconds(10);
const RETRY = { first: milliseconds(100), most: seconds(7), jitter: 0.2 };

export function createOwnNode(options: OwnNodeOptions): OwnNode {
  const { clock, log, settings } = options;
  const newest = createNewestNode();
  const rest = createWakeableSleep(clock);
  const write = createNodeWriter(options, newest);

  const informer = followNode(options, newest, () => rest.wake());

  async function keep(signal: AbortSignal): Promise<void> {
    const backOff = createBackOff(RETRY, clock);
    while (!signal.aborted) {
      try {
        await write.sync(signal);
        backOff.reset();
        await rest.sleep(CHECK_INTERVAL, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ ...errorFields(error), node: settings.name }, 'Node update failed; retrying');
        await rest.sleep(backOff.next(), signal);
      }
    }
  }

  return {
    get current() {
      return newest.current;
    },
    refresh: () => rest.wake(),
    async run(signal) {
      await Promise.all([informer.run(signal), keep(signal)]);
    },
  };
}

/** Watches this Node for changes and deletion. The agent may not read other Nodes. */
function followNode({ client, clock, log, settings }: OwnNodeOptions, newest: NewestNode, wake: () => void) {
  const selection = { fieldSelector: `metadata.name=${settings.name}` };
  const informer = createInformer<Node>({ client, clock, log, resource: nodes, selection });
  informer.subscribe(change => {
    if (change.type === 'deleted') newest.markDeleted(change.object.metadata.uid);
    else newest.observe(change.object);
    wake();
  });
  return informer;
}

/** Syncs the Node: exists, is labelled, has the current status. At most three requests, none if nothing changed. */
function createNodeWriter(options: OwnNodeOptions, newest: NewestNode) {
  const { client, clock, settings } = options;
  const every = reportInterval(clock.random());
  const key = { name: settings.name };
  let last: LastStatusReport | undefined;
  let registered: string | undefined;

  async function register(signal: AbortSignal): Promise<Node> {
    const node = newNode(settings, newStatus(options.status(undefined), clock.now()));
    try {
      return await client.create(nodes, node, { signal });
    } catch (error) {
      // An admission plugin may answer Forbidden for a Node that already exists.
      if (!isAlreadyExists(error) && !isForbidden(error)) throw error;
      const live = await client.find(nodes, key, { signal });
      if (!live) throw error;
      return live;
    }
  }

  async function report(live: Node, signal: AbortSignal): Promise<void> {
    const status = options.status(live);
    const now = { at: clock.now(), sent: JSON.stringify(status), live: ownPart(live, status) };
    if (!reportDue(last, now, every)) return;
    const body = statusPatch(status, live, now.at);
    const after = await client.patch(nodes, key, { type: 'strategic', body }, { subresource: 'status', signal });
    newest.observe(after);
    last = { at: now.at, sent: now.sent, accepted: ownPart(after, status) };
    options.onReported?.(live, after);
  }

  return {
    async sync(signal: AbortSignal): Promise<void> {
      if (!newest.current) newest.observe(await register(signal));
      const { current } = newest;
      if (!current) return;
      try {
        if (current.metadata.uid !== registered) options.onRegistered?.(current);
        registered = current.metadata.uid;
        const correction = nodeCorrection(current, settings);
        if (correction) newest.observe(await client.patch(nodes, key, { type: 'merge', body: correction }, { signal }));
        await report(newest.current ?? current, signal);
      } catch (error) {
        // Deleted meanwhile, and the watch has not reported it yet.
        if (isNotFound(error)) newest.markDeleted(current.metadata.uid);
        throw error;
      }
    },
  };
}

/** Newest known version of the Node, from the watch or from the response to the agent's own write. */
interface NewestNode {
  readonly current: Node | undefined;
  observe(node: Node): void;
  /** Drops this Node; a newer one of the same name stays. */
  markDeleted(uid: string | undefined): void;
}

export function createNewestNode(): NewestNode {
  let current: Node | undefined;
  return {
    get current() {
      return current;
    },
    observe(node) {
      if (!current || isNewer(node, current)) current = node;
    },
    markDeleted(uid) {
      if (current?.metadata.uid === uid) current = undefined;
    },
  };
}

/** The watch lags behind the responses to the agent's own writes: an older version would make it repeat them. */
function isNewer(one: Node, other: Node): boolean {
  return versionOf(one) >= versionOf(other);
}

/**
 * Versions of one resource are increasing numbers (guaranteed since Kubernetes 1.35); anything else counts as newest.
 */
function versionOf({ metadata }: Node): bigint {
  const { resourceVersion = '' } = metadata;
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : BigInt(Number.MAX_SAFE_INTEGER);
}

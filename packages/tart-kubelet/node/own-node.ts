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
import { newStatus, type OwnStatus, ownPart, statusPatch } from './node-status.ts';
import { createWakeableSleep } from './wakeable-sleep.ts';

/** Put on by who makes a machine, taken off by Cluster API when it has written its labels: until then no Pod may come. */
const UNINITIALIZED = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' } as const;

/**
 * A new Node. Taints can only be given now: NodeRestriction forbids a node to change them later. Without a provider's id
 * there is no machine controller, and nobody would ever take the uninitialized taint off.
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
 * The merge patch that makes a Node that is there already ours: labels that are missing or differ, and the provider's id
 * where there is none. Foreign labels stay, and an id that is set is never overwritten (I20). Undefined: nothing to do.
 */
export function nodeCorrection(node: Node, settings: NodeSettings): object | undefined {
  const wanted = Object.entries(nodeLabels(settings));
  const wrong = wanted.filter(([key, value]) => node.metadata.labels?.[key] !== value);
  const { providerId } = settings;
  const adopts = providerId !== undefined && providerId !== '' && !node.spec?.providerID;
  if (wrong.length === 0 && !adopts) return undefined;
  return {
    ...(wrong.length > 0 ? { metadata: { labels: Object.fromEntries(wrong) } } : {}),
    ...(adopts ? { spec: { providerID: providerId } } : {}),
  };
}

/** A status that does not change is sent this often all the same. */
const REPORT_EVERY = minutes(5);

/** The distance of two reports of this process: up to half more or less, once, so that a rack that booted together drifts apart. */
export const reportInterval = (random: number): Duration => milliseconds(REPORT_EVERY * (0.5 + random));

interface LastReport {
  readonly at: number;
  /** What we wanted to say. */
  readonly wanted: string;
  /** What the server made of it: a field it does not know, a quantity it writes otherwise. */
  readonly accepted: string;
}

/**
 * Whether a status must go out. Compared are our words with our last words, and the Node with what the server made of
 * them: so a server that drops a field is not sent it for ever, and who writes over ours is answered at once.
 */
export function reportDue(
  last: LastReport | undefined,
  now: { readonly at: number; readonly wanted: string; readonly live: string },
  every: Duration,
): boolean {
  if (!last || last.wanted !== now.wanted || last.accepted !== now.live) return true;
  // A clock that was set back must not silence us for as long as it jumped.
  return now.at >= last.at + every || now.at < last.at;
}

interface OwnNodeOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: NodeSettings;
  /** Our whole opinion now, from what is known already: it may not wait for anything. */
  readonly status: (live: Node | undefined) => OwnStatus;
  /** The Node is there under this identity: for the first time, or again after somebody deleted it. */
  readonly onRegistered?: (node: Node) => void;
  /** A status went out. */
  readonly onReported?: (before: Node | undefined, after: Node) => void;
}

/** Our Node in the cluster: made, kept as we want it, made again when deleted. Guests are never touched from here (I37). */
export interface OwnNode {
  readonly current: Node | undefined;
  /** Something the status is made of has changed: look at once. */
  refresh(): void;
  run(signal: AbortSignal): Promise<void>;
}

const LOOK_EVERY = seconds(10);
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
        await write.pass(signal);
        backOff.reset();
        await rest.sleep(LOOK_EVERY, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ ...errorFields(error), node: settings.name }, 'The Node could not be written');
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

/** Learns at once when somebody changes or deletes our Node. We may see no other. */
function followNode({ client, clock, log, settings }: OwnNodeOptions, newest: NewestNode, wake: () => void) {
  const selection = { fieldSelector: `metadata.name=${settings.name}` };
  const informer = createInformer<Node>({ client, clock, log, resource: nodes, selection });
  informer.subscribe(change => {
    if (change.type === 'deleted') newest.lost(change.object.metadata.uid);
    else newest.saw(change.object);
    wake();
  });
  return informer;
}

/** One pass: the Node is there, is labelled, and says what we know. At most three requests, none when nothing changed. */
function createNodeWriter(options: OwnNodeOptions, newest: NewestNode) {
  const { client, clock, settings } = options;
  const every = reportInterval(clock.random());
  const key = { name: settings.name };
  let last: LastReport | undefined;
  let registered: string | undefined;

  async function register(signal: AbortSignal): Promise<Node> {
    const node = newNode(settings, newStatus(options.status(undefined), clock.now()));
    try {
      return await client.create(nodes, node, { signal });
    } catch (error) {
      // Forbidden is what an admission plugin may say of a Node that is there already.
      if (!isAlreadyExists(error) && !isForbidden(error)) throw error;
      const live = await client.find(nodes, key, { signal });
      if (!live) throw error;
      return live;
    }
  }

  async function report(live: Node, signal: AbortSignal): Promise<void> {
    const status = options.status(live);
    const now = { at: clock.now(), wanted: JSON.stringify(status), live: ownPart(live, status) };
    if (!reportDue(last, now, every)) return;
    const body = statusPatch(status, live, now.at);
    const after = await client.patch(nodes, key, { type: 'strategic', body }, { subresource: 'status', signal });
    newest.saw(after);
    last = { at: now.at, wanted: now.wanted, accepted: ownPart(after, status) };
    options.onReported?.(live, after);
  }

  return {
    async pass(signal: AbortSignal): Promise<void> {
      if (!newest.current) newest.saw(await register(signal));
      const { current } = newest;
      if (!current) return;
      try {
        if (current.metadata.uid !== registered) options.onRegistered?.(current);
        registered = current.metadata.uid;
        const correction = nodeCorrection(current, settings);
        if (correction) newest.saw(await client.patch(nodes, key, { type: 'merge', body: correction }, { signal }));
        await report(newest.current ?? current, signal);
      } catch (error) {
        // Deleted between two looks, and the watch has not said so yet.
        if (isNotFound(error)) newest.lost(current.metadata.uid);
        throw error;
      }
    },
  };
}

/** The newest version of our Node that anybody has shown us: the watch, or the answer to a write of ours. */
interface NewestNode {
  readonly current: Node | undefined;
  saw(node: Node): void;
  /** That one is gone; a newer one of the same name is not. */
  lost(uid: string | undefined): void;
}

export function createNewestNode(): NewestNode {
  let current: Node | undefined;
  return {
    get current() {
      return current;
    },
    saw(node) {
      if (!current || isNewer(node, current)) current = node;
    },
    lost(uid) {
      if (current?.metadata.uid === uid) current = undefined;
    },
  };
}

/** The watch lags behind the answers to our own writes: an older version would make us repeat them. */
function isNewer(one: Node, other: Node): boolean {
  return versionOf(one) >= versionOf(other);
}

/** Versions of one resource are numbers that grow (Kubernetes 1.35 promises it); anything else counts as newest. */
function versionOf({ metadata }: Node): bigint {
  const { resourceVersion = '' } = metadata;
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : BigInt(Number.MAX_SAFE_INTEGER);
}

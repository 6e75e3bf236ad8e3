import { type Clock, createBackOff, milliseconds, seconds } from '@minifleet/clock';
import {
  type Client,
  createInformer,
  errorFields,
  isAlreadyExists,
  isForbidden,
  isNotFound,
  type Log,
  type Node,
  nodes,
} from '@minifleet/kube';
import { newNode, nodeCorrection } from './desired-node.ts';
import { createNewestNode, type NewestNode } from './newest-node.ts';
import type { NodeSettings } from './node-settings.ts';
import type { OwnStatus } from './node-status.ts';
import { type LastReport, reportDue, reportInterval } from './report-due.ts';
import { newStatus, ownPart, statusPatch } from './status-patch.ts';
import { createWakeableSleep } from './wakeable-sleep.ts';

export interface OwnNodeOptions {
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

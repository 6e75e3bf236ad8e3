import type { MacHost } from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import { consumerOf, hostState, quarantineOf, readyMessage, sinceOf } from '../../cluster/hosts.ts';
import type { EntitySnapshot } from '../entity.ts';
import { latestOf, transitionsOf } from './transition-times.ts';

interface MacContext {
  readonly node: Node | undefined;
  /** Namespace to which the watch is limited. Changes of a Mac that another namespace holds are not printed. */
  readonly namespace: string | undefined;
}

/**
 * Snapshot of a MacHost. It is never healthy or unhealthy, because its machine is; each change of its state is printed. A held Mac has the
 * name of its machine.
 */
export function macSnapshot(host: MacHost, { node, namespace: only }: MacContext): EntitySnapshot {
  const { metadata, spec, status } = host;
  const { name = metadata.name, namespace = '' } = spec.consumerRef ?? {};
  const aliases = [metadata.name, spec.consumerRef?.name, node?.metadata.name];
  const state = hostState(host);
  const isOther = only !== undefined && spec.consumerRef !== undefined && namespace !== only;
  const message = SENTENCES[state]?.(host) ?? `host ${metadata.name} is ${state}`;
  return {
    ...{ key: `mac ${metadata.name}`, kind: 'mac', namespace, name, state: 'starting', problems: [], served: false },
    aliases: aliases.filter(each => each !== undefined),
    phase: state,
    message: isOther ? '' : message,
    createdAt: Date.parse(metadata.creationTimestamp ?? ''),
    changedAt: latestOf([status?.stateSince, sinceOf(host), ...transitionsOf(host)]),
    syncedSteps: [],
  };
}

/** Sentence for each state that a host enters. */
const SENTENCES: Readonly<Record<string, (host: MacHost) => string>> = {
  New: ({ metadata }) => `host ${metadata.name} is not observed by the provider yet`,
  Available: ({ metadata, spec }) => `host ${metadata.name} is Available in pool ${spec.pool}`,
  Claimed: host => `host ${host.metadata.name} is Claimed by ${consumerOf(host)}`,
  Bootstrapping: ({ metadata }) => `host ${metadata.name} is Bootstrapping: the provider applies its first plan`,
  Serving: host => `host ${host.metadata.name} is Serving ${consumerOf(host)}`,
  Restarting: ({ metadata }) => `host ${metadata.name} is Restarting: the provider restarts it through the vendor`,
  Reinstalling: ({ metadata }) => `host ${metadata.name} is Reinstalling: the vendor reinstalls it`,
  Releasing: host => `host ${host.metadata.name} is Releasing${releaseText(host)}`,
  Quarantined: host => `host ${host.metadata.name} is Quarantined: ${quarantineOf(host)?.reason}`,
  Missing: ({ metadata }) => `host ${metadata.name} is Missing: the vendor no longer lists its server`,
};

function releaseText(host: MacHost): string {
  const message = readyMessage(host);
  if (message !== '') return `: ${message}`;
  return host.spec.release === 'Retain' ? ': its contents are kept' : ': it returns to its pool';
}

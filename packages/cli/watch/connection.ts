import type { Client, InformerOptions, KubeObject, Resource, Selection } from '@minifleet/kube';

/** Says once that the server is lost, and once that every watch is open again. */
export interface WatchConnection {
  /** For informers: sees their watches being opened. */
  readonly client: Client;
  /** For the informer of that kind there. */
  readonly onTrouble: (
    resource: Resource,
    selection: Selection,
  ) => NonNullable<InformerOptions<KubeObject>['onTrouble']>;
}

export function observeConnection(client: Client, tell: (state: 'cut-off' | 'resumed') => void): WatchConnection {
  const lost = new Set<string>();
  const nameOf = ({ plural, group }: Resource, { namespace = '' }: Selection): string =>
    `${plural} ${group} ${namespace}`;
  return {
    client: {
      ...client,
      async watch(resource, options) {
        const opened = await client.watch(resource, options);
        if (lost.delete(nameOf(resource, options)) && lost.size === 0) tell('resumed');
        return opened;
      },
    },
    onTrouble: (resource, selection) => trouble => {
      // A server that forgot the past is asked for everything at once: nothing is missed, and nobody need know.
      if (trouble !== 'watch-failed' && trouble !== 'list-failed') return;
      if (lost.size === 0) tell('cut-off');
      lost.add(nameOf(resource, selection));
    },
  };
}

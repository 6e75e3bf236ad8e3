import { type MacHost, macHost, names, scalewayAppleSiliconMachine } from '@minifleet/api';
import { changedBesidesStatus, defined, keyOf, mapped, type Node, nodes, type Runtime } from '@minifleet/kube';
import { type Cluster, clusters } from '../cluster-api/kinds.ts';
import { type HostController, reconcileHost } from './reconcile-host.ts';

const { resource } = macHost;

export interface HostControllerOptions extends HostController {
  /** Called with a function that reconciles a host, for triggers outside the cluster such as a changed server. */
  readonly onStart?: (wake: (host: string) => void) => void;
}

/** Adds the controller of hosts to a program. */
export function addHostController(runtime: Runtime, options: HostControllerOptions): void {
  const { deps } = options;
  const inNamespace = defined({ namespace: deps.settings.namespace });
  const hosts = runtime.informer(resource, {});
  hosts.addIndex('host-consumer', ({ spec }) =>
    spec.consumerRef ? [`${spec.consumerRef.namespace}/${spec.consumerRef.name}`] : [],
  );
  hosts.addIndex('host-node', ({ spec }) => (spec.desired ? [spec.desired.nodeName] : []));
  hosts.addIndex('host-cluster', host => {
    const cluster = host.metadata.labels?.[names.clusterApi.clusterNameLabel];
    return cluster === undefined ? [] : [`${host.spec.consumerRef?.namespace}/${cluster}`];
  });
  const by = (index: string, value: string) => hosts.cache.by(index, value).map(keyOf);

  runtime.add<MacHost>({
    name: 'mac-host',
    resource,
    watches: [
      mapped(
        scalewayAppleSiliconMachine.resource,
        ({ metadata }) => by('host-consumer', `${metadata.namespace}/${metadata.name}`),
        inNamespace,
        changedBesidesStatus,
      ),
      mapped(
        clusters,
        ({ metadata }: Cluster) => by('host-cluster', `${metadata.namespace}/${metadata.name}`),
        inNamespace,
        changedBesidesStatus,
      ),
      mapped(nodes, ({ metadata }: Node) => by('host-node', metadata.name), {}, isNodeChange),
    ],
    wakes(wake) {
      const wakeHost = (name: string): void => wake({ name });
      options.onStart?.(wakeHost);
      return deps.jobs.onChange(wakeHost);
    },
    reconcile: (context, key) => reconcileHost(context, key, options),
  });
}

/** A Node also reports every few minutes that nothing changed. */
const isNodeChange = (previous: Node, node: Node): boolean =>
  changedBesidesStatus(previous, node) || readyOf(previous) !== readyOf(node);

const readyOf = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;

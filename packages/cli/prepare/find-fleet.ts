import { names } from '@minifleet/api';
import { defineError } from '@minifleet/errors';
import { type Client, type KubeObject, keyOf, keyString, type Resource } from '@minifleet/kube/client';

export const FLEET_NOT_FOUND = defineError('FLEET_NOT_FOUND', {
  retry: 'operator',
  reason: 'FleetNotFound',
  text: '{asked}: no MacMachineTemplate with spec.template.spec.fleetName and pool matches{where} (found: {found}); create the fleet first (docs/owned-macs.md), or choose one of these',
});

export const FLEET_AMBIGUOUS = defineError('FLEET_AMBIGUOUS', {
  retry: 'operator',
  reason: 'FleetAmbiguous',
  text: '{asked}: several fleets match ({found}); choose one with --fleet, --pool and -n',
});

/** Fleet of MacMachines, from its template. */
export interface MacFleet {
  readonly namespace: string;
  readonly fleet: string;
  readonly pool: string;
}

export interface FleetQuery {
  readonly fleet?: string | undefined;
  readonly pool?: string | undefined;
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
}

interface Template extends KubeObject {
  spec?: { template?: { spec?: { fleetName?: string; pool?: string } } };
}

const templates: Resource<Template> = {
  group: names.groups.infrastructure,
  version: names.version,
  kind: 'MacMachineTemplate',
  plural: 'macmachinetemplates',
  scope: 'Namespaced',
};

/** Finds the fleet by its name, or by the pool whose Macs it claims. */
export async function findFleet(client: Client, query: FleetQuery): Promise<MacFleet> {
  const { namespace } = query;
  const { items } = await client.list(templates, namespace === undefined ? {} : { namespace });
  const all = items.flatMap(fleetOf);
  const matching = all.filter(({ fleet, pool }) => (query.fleet ?? fleet) === fleet && (query.pool ?? pool) === pool);
  // Several templates of one fleet differ in other fields, for example after an upgrade.
  const [first, ...others] = new Map(matching.map(one => [nameOf(one), one])).values();
  const about = { asked: askedOf(query), where: namespace === undefined ? '' : ` in namespace ${namespace}` };
  if (!first) throw FLEET_NOT_FOUND({ ...about, found: namesOf(all) || 'none' });
  if (others.length > 0) throw FLEET_AMBIGUOUS({ ...about, found: namesOf(matching) });
  return first;
}

function fleetOf({ metadata: { namespace = '' }, spec }: Template): MacFleet[] {
  const { fleetName: fleet, pool } = spec?.template?.spec ?? {};
  return fleet && pool ? [{ namespace, fleet, pool }] : [];
}

const askedOf = ({ fleet, pool }: FleetQuery): string =>
  [...(fleet === undefined ? [] : [`fleet ${fleet}`]), ...(pool === undefined ? [] : [`pool ${pool}`])].join(', ');

const nameOf = ({ namespace, fleet, pool }: MacFleet): string => `${namespace}/${fleet} of pool ${pool}`;
const namesOf = (fleets: readonly MacFleet[]): string => [...new Set(fleets.map(nameOf))].join(', ');

export interface FleetCapiCluster extends KubeObject {
  spec?: { controlPlaneEndpoint?: { host?: string; port?: number } };
}

export const clusters: Resource<FleetCapiCluster> = {
  ...{ group: 'cluster.x-k8s.io', version: 'v1beta2' },
  kind: 'Cluster',
  plural: 'clusters',
  scope: 'Namespaced',
};

/** Address of the API server as Macs use it. */
export interface FleetApiServer {
  readonly cluster: string;
  readonly host: string;
  readonly port: number;
}

const PORT = 6443;

/** API servers of the Clusters in the namespace of a fleet, mostly one. */
export async function apiEndpoints(client: Client, namespace: string): Promise<readonly FleetApiServer[]> {
  const { items } = await client.list(clusters, { namespace });
  return items.flatMap(cluster => {
    const { host, port = PORT } = cluster.spec?.controlPlaneEndpoint ?? {};
    return host ? [{ cluster: keyString(keyOf(cluster)), host, port }] : [];
  });
}

import { type ApiEndpoint, type ExternalControlPlane, scalewayAppleSiliconCluster } from '@minifleet/api';
import type { Client } from '@minifleet/kube';
import { isCompleteEndpoint } from '../cluster-api/complete-endpoint.ts';
import type { Cluster } from '../cluster-api/kinds.ts';
import { referredBy } from '../cluster-api/owner-cluster.ts';

const { resource } = scalewayAppleSiliconCluster;

interface EndpointSources {
  readonly owner: ExternalControlPlane;
  readonly cluster: Cluster;
  /** URL to use if no object has an endpoint. */
  readonly server: string | undefined;
}

/**
 * Returns the endpoint that Cluster API copies to the Cluster once, and that hosts use to join. An endpoint in any of the three objects
 * has priority over the address of the provider: Cluster API copies this one before it reads the infrastructure.
 */
export async function chooseEndpoint(
  client: Client,
  { owner, cluster, server }: EndpointSources,
): Promise<ApiEndpoint | undefined> {
  const said = [owner.spec.controlPlaneEndpoint, cluster.spec?.controlPlaneEndpoint].find(isCompleteEndpoint);
  if (said) return said;
  const [key] = referredBy(resource, cluster);
  const infra = key && (await client.find(resource, key));
  const { controlPlaneEndpoint } = infra?.spec ?? {};
  if (isCompleteEndpoint(controlPlaneEndpoint)) return controlPlaneEndpoint;
  return server === undefined ? undefined : endpointIn(server);
}

/** Endpoint in the format of Cluster API: host and port, IPv6 without brackets. */
export function endpointIn(url: string): Required<ApiEndpoint> {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) };
}

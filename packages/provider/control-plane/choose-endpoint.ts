import { type ApiEndpoint, type ExternalControlPlane, scalewayAppleSiliconCluster } from '@minifleet/api';
import type { Client } from '@minifleet/kube';
import { isCompleteEndpoint } from '../cluster-api/complete-endpoint.ts';
import type { Cluster } from '../cluster-api/kinds.ts';
import { referredBy } from '../cluster-api/owner-cluster.ts';

const { resource } = scalewayAppleSiliconCluster;

export interface EndpointSources {
  readonly owner: ExternalControlPlane;
  readonly cluster: Cluster;
  /** Where nobody says: a URL. */
  readonly server: string | undefined;
}

/**
 * The address that core copies to the Cluster, once, and that hosts join at. What a person wrote on any of the three objects goes before
 * our own: core takes over what stands here before it looks at the infrastructure.
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

/** As objects of Cluster API name it: host and port, IPv6 without brackets. */
export function endpointIn(url: string): Required<ApiEndpoint> {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) };
}

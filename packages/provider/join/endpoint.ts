import { BlockList, isIP } from 'node:net';
import type { Cluster } from '../cluster-api/kinds.ts';

/** API server URL for a host, or why it is unknown. */
type JoinEndpoint = { readonly url: string } | { readonly unknown: string };

const PORT = 6443;
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Returns the endpoint of the Cluster, else `own`. A Cluster without its own control plane often has 127.0.0.1 as a
 * placeholder. Hosts cannot reach that, so it counts only if the provider itself uses it.
 */
export function endpointFor(cluster: Pick<Cluster, 'spec'>, own: string | undefined): JoinEndpoint {
  const { host, port = PORT } = cluster.spec?.controlPlaneEndpoint ?? {};
  const url = host ? `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}` : undefined;
  if (url && host && (!isLoopback(host) || own === url)) return { url };
  if (own !== undefined) return { url: own };
  return { unknown: host ? `the Cluster endpoint ${host} is a loopback address` : 'the Cluster has no endpoint' };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'));

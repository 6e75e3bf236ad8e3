import { BlockList, isIP } from 'node:net';
import type { InfraMachine } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import {
  type Cache,
  type CertificateSigningRequest,
  type Client,
  type KubeSecret,
  keyOf,
  keyString,
} from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import type { Cluster } from '../cluster-api/kinds.ts';
import { withApiErrorAs } from '../credentials/edit-secret.ts';
import type { ProviderSettings } from '../settings/settings.ts';
import { type RequestIndex, requesterOf } from './certificate-request.ts';
import { JOIN_ENDPOINT_UNKNOWN, JOIN_TOKEN_UNAVAILABLE } from './errors.ts';
import { keepToken, removeTokens, type TokenKeeper } from './keep-token.ts';

/** Join credentials: each host gets its own short-lived token, which only allows a certificate request. */
export interface Join {
  /** Returns the join credentials. The token stays the same while it is valid, and is extended while the machine is reconciled. */
  material(machine: InfraMachine, cluster: Cluster): Promise<JoinMaterial>;
  /** Deletes the token of the machine; a missing token is fine. */
  withdraw(machine: InfraMachine): Promise<void>;
  /** Requests for serving certificates by the Node of the machine, from the cache; Kubernetes deletes them after an hour. */
  servingRequests(machine: InfraMachine): readonly CertificateSigningRequest[];
}

export interface JoinMaterial {
  readonly kubeconfig: Secret;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface JoinOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** CA certificate of the API server in PEM; empty if hosts already trust the CA. */
  readonly ca: string;
  /** API server URL for hosts if the Cluster has no endpoint. Undefined in a Pod, because hosts cannot reach the in-cluster address. */
  readonly server: string | undefined;
  readonly settings: Pick<ProviderSettings, 'tokenLife'>;
  /** Requests for serving certificates, with `requestIndexes`. */
  readonly requests: Pick<Cache<CertificateSigningRequest>, 'by'>;
  /** Bootstrap tokens, with `tokenIndexes`. */
  readonly tokens: Pick<Cache<KubeSecret>, 'by'>;
}

const BY_NODE: RequestIndex = 'request-node';

export function createJoin({ ca, server, settings, requests, ...options }: JoinOptions): Join {
  const { client } = options;
  const keeper: TokenKeeper = { ...options, life: settings.tokenLife };
  // Saves a request per reconcile for joined machines. Only this process creates their tokens, and a new process checks again.
  const withdrawn = new Set<string>();

  const asking = <T>(machine: InfraMachine, ask: () => Promise<T>): Promise<T> =>
    withApiErrorAs(JOIN_TOKEN_UNAVAILABLE, { machine: nameOf(machine) }, ask);

  return {
    async material(machine, cluster) {
      const endpoint = endpointFor(cluster, server);
      if ('unknown' in endpoint) {
        const words = { machine: nameOf(machine), cluster: keyString(keyOf(cluster)), why: endpoint.unknown };
        throw JOIN_ENDPOINT_UNKNOWN(words);
      }
      withdrawn.delete(machine.metadata.uid ?? '');
      const { id, secret, expiresAt } = await asking(machine, () => keepToken(keeper, machine));
      const to = { server: endpoint.url, ca, token: `${id}.${secret}` };
      return { kubeconfig: bootstrapKubeconfig(machine.metadata.name, to), expiresAt };
    },
    async withdraw(machine) {
      const { uid = '' } = machine.metadata;
      if (withdrawn.has(uid)) return;
      await asking(machine, () => removeTokens(client, machine));
      withdrawn.add(uid);
    },
    servingRequests: ({ metadata: { name } }) => requests.by(BY_NODE, name).filter(request => isFrom(request, name)),
  };
}

const nameOf = (machine: InfraMachine): string => keyString(keyOf(machine));

function isFrom(request: CertificateSigningRequest, name: string): boolean {
  const requester = requesterOf(request);
  return requester !== undefined && 'node' in requester && requester.node === name;
}

interface JoinTo {
  readonly server: string;
  /** CA certificate in PEM; empty if hosts already trust the CA. */
  readonly ca: string;
  /** `<id>.<secret>`. */
  readonly token: string;
}

/** Kubeconfig with which an agent requests its certificate. Deterministic, because the file on a host is compared by hash. */
function bootstrapKubeconfig(machine: string, { server, ca, token }: JoinTo): Secret {
  const authority = ca === '' ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fleet', cluster: { server, ...authority } }],
    users: [{ name: 'joining', user: { token } }],
    contexts: [{ name: 'fleet', context: { cluster: 'fleet', user: 'joining' } }],
    'current-context': 'fleet',
  };
  return new Secret(`the bootstrap kubeconfig of ${machine}`, `${JSON.stringify(config, null, 2)}\n`);
}

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

import { type Clock, minutes } from '@minifleet/clock';
import { type Client, isForbidden, objectPath, type Pod, serviceAccounts } from '@minifleet/kube';
import { namespaceOf, onceAuthorized } from '../environment/config-source.ts';
import { CONFIG_NOT_YET_READABLE } from '../errors.ts';

const A_DAY = minutes(24 * 60);

/** A token is replaced after 80 % of its lifetime, and after one day at the latest. */
const rotateAt = (issuedAt: number, expiresAt: number): number =>
  issuedAt + Math.min((expiresAt - issuedAt) * 0.8, A_DAY);

interface CachedToken {
  readonly token: string;
  /** From this time on, a new token is requested. */
  readonly renewAt: number;
}

/**
 * Token cache of one Pod: requests a token only if there is none or it is due for renewal, not at each volume write.
 */
export interface TokenCache {
  get(source: TokenSource, request: TokenRequest, now: number): Promise<CachedToken>;
}

export function createTokenCache(): TokenCache {
  const kept = new Map<string, CachedToken>();
  return {
    async get(source, request, now) {
      const key = `${request.audience ?? ''} ${request.expirationSeconds}`;
      const known = kept.get(key);
      if (known && now < known.renewAt) return known;
      const { token, expiresAt } = await source.request(request);
      const fresh = { token, renewAt: rotateAt(now, expiresAt) };
      kept.set(key, fresh);
      return fresh;
    },
  };
}

interface TokenRequest {
  readonly pod: Pod;
  readonly audience: string | undefined;
  readonly expirationSeconds: number;
}

interface PodToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** Requests tokens of a Pod's service account, bound to the Pod: they become invalid with it. */
export interface TokenSource {
  request(request: TokenRequest): Promise<PodToken>;
}

export function createTokenSource(client: Client, clock: Clock): TokenSource {
  return {
    async request({ pod, audience, expirationSeconds }) {
      const name = pod.spec?.serviceAccountName ?? 'default';
      const { uid } = pod.metadata;
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid };
      const spec = { audiences: audience ? [audience] : [], expirationSeconds, boundObjectRef };
      const path = objectPath(serviceAccounts, { namespace: namespaceOf(pod), name }, 'token');
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
      try {
        const answer = await onceAuthorized(clock, () => client.send({ method: 'POST', path, body }));
        const { status } = JSON.parse(answer) as TokenResponse;
        return { token: status.token, expiresAt: Date.parse(status.expirationTimestamp) };
      } catch (error) {
        if (isForbidden(error)) throw CONFIG_NOT_YET_READABLE({ kind: 'serviceaccount', name }, { cause: error });
        throw error;
      }
    },
  };
}

interface TokenResponse {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

import type { Clock } from '@minifleet/clock';
import { type Client, isForbidden, objectPath, type Pod, serviceAccounts } from '@minifleet/kube';
import { namespaceOf } from '../environment/config-source.ts';
import { onceAuthorized } from '../environment/once-authorized.ts';
import { CONFIG_NOT_YET_READABLE } from '../errors.ts';

export interface TokenRequest {
  readonly pod: Pod;
  readonly audience: string | undefined;
  readonly expirationSeconds: number;
}

export interface Token {
  readonly token: string;
  readonly expiresAt: number;
}

/** Tokens of a Pod's service account, bound to the Pod: they die with it. */
export interface TokenSource {
  request(request: TokenRequest): Promise<Token>;
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
        const { status } = JSON.parse(answer) as TokenAnswer;
        return { token: status.token, expiresAt: Date.parse(status.expirationTimestamp) };
      } catch (error) {
        if (isForbidden(error)) throw CONFIG_NOT_YET_READABLE({ kind: 'serviceaccount', name }, { cause: error });
        throw error;
      }
    },
  };
}

interface TokenAnswer {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

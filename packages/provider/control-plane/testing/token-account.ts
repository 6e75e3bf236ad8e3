import type { Clock } from '@minifleet/clock';
import { ApiError, type ApiRequest, type Client, secrets } from '@minifleet/kube';

export const ACCOUNT = { namespace: 'minifleet-system', name: 'capi-remote' };
const SUBJECT = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`;

/** Adds to the in-memory API its version and the tokens of one account, bound to a Secret as the real API server binds them. */
export interface TokenAccount {
  /** The same client, which can also mint tokens. */
  readonly client: Client;
  readonly minted: () => number;
  /** True if the server would accept the bearer token. */
  readonly accepts: (token: string) => Promise<boolean>;
  /** Refuses to mint from now on, until undefined. */
  readonly refuse: (code?: number) => void;
}

export function tokenAccount(client: Client, clock: Clock): TokenAccount {
  const tokens = new Map<string, { readonly name: string; readonly uid: string; readonly expiresAt: number }>();
  let refusal: number | undefined;
  const mint = ({ body, path }: ApiRequest): string => {
    if (refusal !== undefined) {
      throw new ApiError({ code: refusal, reason: 'Forbidden', message: 'made to fail' }, { asked: `POST ${path}` });
    }
    const { spec } = body as { spec: { expirationSeconds: number; boundObjectRef: { name: string; uid: string } } };
    const issuedAt = Math.floor(clock.now() / 1_000);
    const exp = issuedAt + spec.expirationSeconds;
    const payload = JSON.stringify({ sub: SUBJECT, iat: issuedAt, exp, jti: tokens.size });
    const token = `header.${Buffer.from(payload).toString('base64url')}.signature-${tokens.size}`;
    tokens.set(token, { ...spec.boundObjectRef, expiresAt: exp * 1_000 });
    return JSON.stringify({ status: { token } });
  };
  return {
    client: {
      ...client,
      async send(request) {
        if (request.path === '/version') return JSON.stringify({ gitVersion: 'v1.36.4' });
        return request.path.endsWith('/token') ? mint(request) : client.send(request);
      },
    },
    minted: () => tokens.size,
    accepts: async token => {
      const known = tokens.get(token);
      if (!known || clock.now() >= known.expiresAt) return false;
      const anchor = await client.find(secrets, { namespace: ACCOUNT.namespace, name: known.name });
      return anchor?.metadata.uid === known.uid;
    },
    refuse: code => {
      refusal = code;
    },
  };
}

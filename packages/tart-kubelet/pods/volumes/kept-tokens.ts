import { rotateAt } from './rotation.ts';
import type { TokenRequest, TokenSource } from './token-source.ts';

export interface KeptToken {
  readonly token: string;
  /** From then on a new one is asked for. */
  readonly renewAt: number;
}

/** The tokens of one Pod: one is asked for when there is none or it is due, not whenever a volume is looked at. */
export interface KeptTokens {
  get(source: TokenSource, request: TokenRequest, now: number): Promise<KeptToken>;
}

export function createKeptTokens(): KeptTokens {
  const kept = new Map<string, KeptToken>();
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

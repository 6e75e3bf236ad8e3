import { minutes } from '@minifleet/clock';
import type { Surroundings } from '../../surroundings.ts';
import type { Scope } from '../accounts.ts';
import type { Permissions } from '../options.ts';
import type { Installation } from './apps.ts';

/** What a token lets its bearer do. */
export type Grant =
  | { readonly kind: 'installation'; readonly installation: Installation; readonly permissions: Permissions }
  | { readonly kind: 'registration'; readonly scope: Scope }
  | { readonly kind: 'removal'; readonly scope: Scope }
  /** For the Actions service: what a registration token is traded for, and what a message session is given. */
  | { readonly kind: 'admin'; readonly scope: Scope }
  | { readonly kind: 'queue'; readonly sessionId: string };

export interface MintedToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** Tokens that live an hour (a queue token 50 minutes) and are then as good as never minted. */
export interface Tokens {
  mint(grant: Grant): MintedToken;
  find<Kind extends Grant['kind']>(kind: Kind, token: string): Extract<Grant, { kind: Kind }> | undefined;
  revoke(token: string): void;
  /** All that were minted so far are expired, whatever the clock says. */
  expireAll(): void;
}

const LIFETIME = minutes(60);
const QUEUE_LIFETIME = minutes(50);
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

export function createTokens({ clock, chance }: Surroundings): Tokens {
  const minted = new Map<string, { readonly grant: Grant; readonly expiresAt: number }>();
  const draw = (length: number): string =>
    Array.from({ length }, () => ALPHANUMERIC[chance.integer(ALPHANUMERIC.length)]).join('');
  const word = (kind: Grant['kind'], expiresAt: number): string => {
    if (kind === 'installation') return `ghs_${draw(36)}`;
    if (kind === 'registration' || kind === 'removal') return `A${draw(28)}`;
    return unsignedJwt({ exp: Math.floor(expiresAt / 1_000), jti: draw(16) });
  };
  return {
    mint(grant) {
      const expiresAt = clock.now() + (grant.kind === 'queue' ? QUEUE_LIFETIME : LIFETIME);
      const token = word(grant.kind, expiresAt);
      minted.set(token, { grant, expiresAt });
      return { token, expiresAt };
    },
    find<Kind extends Grant['kind']>(kind: Kind, token: string) {
      const found = minted.get(token);
      if (!found || found.grant.kind !== kind || found.expiresAt <= clock.now()) return undefined;
      return found.grant as Extract<Grant, { kind: Kind }>;
    },
    revoke: token => void minted.delete(token),
    expireAll: () => minted.clear(),
  };
}

/** Clients of the Actions service read `exp` out of their token without checking the signature. */
const unsignedJwt = (claims: Record<string, unknown>): string =>
  [{ alg: 'none', typ: 'JWT' }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('x')
    .join('.');

import { createPublicKey, type KeyObject } from 'node:crypto';
import { minutes } from '@minifleet/clock';
import type { WorldDeps } from '../../world-deps.ts';
import type { Account, Accounts, Scope } from '../accounts.ts';
import type { AppOptions, GithubBehaviour, Permissions } from '../options.ts';

export interface AppInstallation {
  readonly id: number;
  readonly app: GithubApp;
  readonly account: Account;
  readonly permissions: Permissions;
  /** The owner can suspend the installation at any time; its tokens are then rejected. */
  suspended: boolean;
}

export interface GithubApp {
  readonly id: number;
  readonly clientId: string;
  readonly slug: string;
  readonly publicKey: KeyObject;
  readonly installations: readonly AppInstallation[];
}

/** Permissions of an App for a fleet (S3): Organization → Self-hosted runners: read and write. */
const FLEET_PERMISSIONS: Permissions = { organization_self_hosted_runners: 'write', metadata: 'read' };

export function createApp(options: AppOptions, accounts: Accounts): GithubApp {
  const installations: AppInstallation[] = [];
  const app: GithubApp = {
    id: options.id,
    clientId: options.clientId ?? `Iv23li${String(options.id).padStart(14, '0')}`,
    slug: options.slug ?? `app-${options.id}`,
    publicKey: publicHalf(options.key),
    installations,
  };
  for (const { id, account: login, permissions = FLEET_PERMISSIONS, suspended = false } of options.installations) {
    const account = accounts.findAccount(login);
    if (!account) throw new Error(`App ${options.id}: unknown organization ${login}`);
    installations.push({ id, app, account, permissions, suspended });
  }
  return app;
}

const publicHalf = (key: string | KeyObject): KeyObject =>
  typeof key !== 'string' && key.type === 'public' ? key : createPublicKey(key);

/** Permissions of a token. */
export type TokenGrant =
  | { readonly kind: 'installation'; readonly installation: AppInstallation; readonly permissions: Permissions }
  | { readonly kind: 'registration'; readonly scope: Scope }
  | { readonly kind: 'removal'; readonly scope: Scope }
  /** For the Actions service: the token that a registration token is exchanged for, and the token of a message session. */
  | { readonly kind: 'admin'; readonly scope: Scope }
  | { readonly kind: 'queue'; readonly sessionId: string };

export interface MintedToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** Tokens are valid for an hour (queue tokens for 50 minutes) and unknown afterwards. */
export interface Tokens {
  mint(grant: TokenGrant): MintedToken;
  find<Kind extends TokenGrant['kind']>(kind: Kind, token: string): Extract<TokenGrant, { kind: Kind }> | undefined;
  revoke(token: string): void;
  /** Expires every token minted so far, whatever the clock says. */
  expireAll(): void;
}

const LIFETIME = minutes(60);
const QUEUE_LIFETIME = minutes(50);
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Bytes of an RS256 signature. */
const SIGNATURE_BYTES = 256;

export function createTokens(
  { clock, chance }: Pick<WorldDeps, 'clock' | 'chance'>,
  { installationToken }: Pick<GithubBehaviour, 'installationToken'>,
): Tokens {
  const minted = new Map<string, { readonly grant: TokenGrant; readonly expiresAt: number }>();
  const draw = (length: number): string =>
    Array.from({ length }, () => ALPHANUMERIC[chance.integer(ALPHANUMERIC.length)]).join('');
  /** About 520 characters with dots, dashes and underscores (GitHub's changelogs of 2026-04-24 and 2026-05-15). */
  const statelessToken = ({ id, app }: AppInstallation, expiresAt: number): string => {
    const exp = Math.floor(expiresAt / 1_000);
    const claims = { sub: `installation:${id}`, iat: exp - 3_600, exp, jti: chance.uuid() };
    const signature = Buffer.from(chance.hex(2 * SIGNATURE_BYTES), 'hex').toString('base64url');
    return `ghs_${app.id}_${encodeJwt({ alg: 'RS256', typ: 'JWT' }, claims, signature)}`;
  };
  const word = (grant: TokenGrant, expiresAt: number): string => {
    const { kind } = grant;
    if (kind === 'installation') {
      return installationToken === 'short' ? `ghs_${draw(36)}` : statelessToken(grant.installation, expiresAt);
    }
    if (kind === 'registration' || kind === 'removal') return `A${draw(28)}`;
    // Clients of the Actions service read `exp` from their token without verifying the signature.
    return encodeJwt({ alg: 'none', typ: 'JWT' }, { exp: Math.floor(expiresAt / 1_000), jti: draw(16) }, 'x');
  };
  return {
    mint(grant) {
      const expiresAt = clock.now() + (grant.kind === 'queue' ? QUEUE_LIFETIME : LIFETIME);
      const token = word(grant, expiresAt);
      minted.set(token, { grant, expiresAt });
      return { token, expiresAt };
    },
    find<Kind extends TokenGrant['kind']>(kind: Kind, token: string) {
      const found = minted.get(token);
      if (!found || found.grant.kind !== kind || found.expiresAt <= clock.now()) return undefined;
      return found.grant as Extract<TokenGrant, { kind: Kind }>;
    },
    revoke: token => void minted.delete(token),
    expireAll: () => minted.clear(),
  };
}

const encodeJwt = (header: object, claims: object, signature: string): string =>
  [header, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat(signature)
    .join('.');

import { type KeyObject, verify } from 'node:crypto';
import type { GithubState } from '../github-state.ts';
import { badCredentials, GithubApiError } from '../rest/github-api-error.ts';
import type { GithubApp, TokenGrant } from './tokens.ts';

/** The caller of a request, according to its Authorization header. */
export type Caller =
  | { readonly kind: 'app'; readonly app: GithubApp }
  | {
      readonly kind: 'installation';
      readonly token: string;
      readonly grant: Extract<TokenGrant, { kind: 'installation' }>;
    }
  | { readonly kind: 'anonymous' };

/** Returns the name of a caller for error texts and rate limits. */
export function callerName(caller: Caller): string {
  switch (caller.kind) {
    case 'app':
      return `app ID ${caller.app.id}`;
    case 'installation':
      return `installation ID ${caller.grant.installation.id}`;
    case 'anonymous':
      return 'anonymous';
  }
}

export function identify(forge: GithubState, authorization: string | undefined): Caller {
  if (authorization === undefined) return { kind: 'anonymous' };
  const [, scheme = '', token = ''] = /^(\S+) +(\S+)$/.exec(authorization.trim()) ?? [];
  if (!/^(bearer|token)$/i.test(scheme)) throw badCredentials();
  // An installation token contains a JWT as well.
  if (!token.startsWith('ghs_') && token.split('.').length === 3) return identifyApp(forge, token);
  const grant = forge.tokens.find('installation', token);
  if (!grant) throw badCredentials();
  if (grant.installation.suspended) throw new GithubApiError(403, 'This installation has been suspended');
  return { kind: 'installation', token, grant };
}

function identifyApp(forge: GithubState, token: string): Caller {
  const verdict = verifyJwt(token, {
    now: forge.world.clock.now(),
    // Octokit sends the client id or the app id, depending on its configuration.
    findApp: issuer => forge.apps.find(app => String(app.id) === issuer || app.clientId === issuer),
  });
  if ('app' in verdict) return { kind: 'app', app: verdict.app };
  throw new GithubApiError(verdict.status, verdict.message);
}

export function requireApp(caller: Caller): GithubApp {
  if (caller.kind === 'app') return caller.app;
  throw new GithubApiError(401, UNDECODABLE);
}

export function requireInstallation(caller: Caller): Extract<Caller, { kind: 'installation' }> {
  if (caller.kind === 'installation') return caller;
  // An App's own token is rejected as well (derived).
  throw new GithubApiError(401, 'Requires authentication');
}

interface JwtClaims {
  readonly iss?: unknown;
  readonly iat?: unknown;
  readonly exp?: unknown;
}

type JwtResult<App> = { readonly app: App } | { readonly status: 401 | 404; readonly message: string };

/** Messages of GitHub that clients match: @octokit/auth-app corrects its clock when it reads the first three. */
export const ISSUED_AT =
  "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
export const EXPIRED =
  "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
export const TOO_FAR = "'Expiration time' claim ('exp') is too far in the future";
export const UNDECODABLE = 'A JSON web token could not be decoded';
export const NO_SUCH_APP = 'Integration not found';

const LONGEST_SECONDS = 600;
const SKEW_SECONDS = 60;

/** Verifies an App's JSON web token as GitHub does: RS256 signature, issuer, and times against GitHub's own clock. */
export function verifyJwt<App extends { readonly publicKey: KeyObject }>(
  token: string,
  options: { readonly now: number; readonly findApp: (issuer: string) => App | undefined },
): JwtResult<App> {
  const parts = token.split('.');
  const [header, claims] = parts.slice(0, 2).map(decode);
  if (parts.length !== 3 || header?.['alg'] !== 'RS256' || !claims) return refuse(UNDECODABLE);
  const issuer = claims['iss'];
  const app = typeof issuer === 'string' || typeof issuer === 'number' ? options.findApp(String(issuer)) : undefined;
  if (!app) return { status: 404, message: NO_SUCH_APP };
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
  const signature = Buffer.from(parts[2] ?? '', 'base64url');
  if (!verify('RSA-SHA256', signed, app.publicKey, signature)) return refuse(UNDECODABLE);
  const complaint = complainAboutTimes(claims, Math.floor(options.now / 1_000));
  return complaint ? refuse(complaint) : { app };
}

function complainAboutTimes({ iat, exp }: JwtClaims, now: number): string | undefined {
  if (!Number.isInteger(iat) || Number(iat) > now + SKEW_SECONDS) return ISSUED_AT;
  if (typeof exp !== 'number' || exp <= now) return EXPIRED;
  return exp > now + LONGEST_SECONDS ? TOO_FAR : undefined;
}

const refuse = (message: string): { status: 401; message: string } => ({ status: 401, message });

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

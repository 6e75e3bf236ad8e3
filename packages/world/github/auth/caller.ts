import type { Forge } from '../forge.ts';
import { ApiError, badCredentials } from '../rest/api-error.ts';
import type { App } from './apps.ts';
import type { Grant } from './tokens.ts';
import { UNDECODABLE, verifyJwt } from './verify-jwt.ts';

/** Who makes a request, by its Authorization header. */
export type Caller =
  | { readonly kind: 'app'; readonly app: App }
  | { readonly kind: 'installation'; readonly token: string; readonly grant: Extract<Grant, { kind: 'installation' }> }
  | { readonly kind: 'nobody' };

/** As error texts and rate limits name a caller. */
export function callerName(caller: Caller): string {
  switch (caller.kind) {
    case 'app':
      return `app ID ${caller.app.id}`;
    case 'installation':
      return `installation ID ${caller.grant.installation.id}`;
    case 'nobody':
      return 'nobody';
  }
}

export function identify(forge: Forge, authorization: string | undefined): Caller {
  if (authorization === undefined) return { kind: 'nobody' };
  const [, scheme = '', token = ''] = /^(\S+) +(\S+)$/.exec(authorization.trim()) ?? [];
  if (!/^(bearer|token)$/i.test(scheme)) throw badCredentials();
  if (token.split('.').length === 3) return identifyApp(forge, token);
  const grant = forge.tokens.find('installation', token);
  if (!grant) throw badCredentials();
  if (grant.installation.suspended) throw new ApiError(403, 'This installation has been suspended');
  return { kind: 'installation', token, grant };
}

function identifyApp(forge: Forge, token: string): Caller {
  const verdict = verifyJwt(token, {
    now: forge.around.clock.now(),
    // Octokit sends the client id or the app id, whichever it was given.
    findApp: issuer => forge.apps.find(app => String(app.id) === issuer || app.clientId === issuer),
  });
  if ('app' in verdict) return { kind: 'app', app: verdict.app };
  throw new ApiError(verdict.status, verdict.message);
}

export function requireApp(caller: Caller): App {
  if (caller.kind === 'app') return caller.app;
  throw new ApiError(401, UNDECODABLE);
}

export function requireInstallation(caller: Caller): Extract<Caller, { kind: 'installation' }> {
  if (caller.kind === 'installation') return caller;
  // To an App's own token too: derived.
  throw new ApiError(401, 'Requires authentication');
}

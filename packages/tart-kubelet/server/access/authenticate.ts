/** Authenticates callers: by a client certificate of the cluster, or by a token that the API server accepts. */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { type Clock, minutes } from '@minifleet/clock';
import { createExpiringCache } from '../expiring-cache.ts';
import type { AuthenticatedUser, Reviews } from './reviews.ts';

interface AuthenticateOptions {
  readonly reviews: Pick<Reviews, 'authenticate'>;
  readonly clock: Clock;
}

const MAX_TOKENS = 1_000;

/** The returned promise rejects if the API server is unreachable. */
export function createAuthenticate({
  reviews,
  clock,
}: AuthenticateOptions): (request: IncomingMessage) => Promise<AuthenticatedUser | undefined> {
  const tokens = createExpiringCache<AuthenticatedUser | undefined>({
    clock,
    lifetime: () => minutes(2),
    maxEntries: MAX_TOKENS,
  });
  return async request => {
    const holder = certificateHolder(request, clock);
    if (holder) return holder;
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    return token === undefined ? undefined : tokens.get(token, () => reviews.authenticate(token));
  };
}

/** A connection may outlive its certificate, so the expiry is checked with every request. */
function certificateHolder({ socket }: IncomingMessage, clock: Clock): AuthenticatedUser | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { subject, valid_to: end } = socket.getPeerCertificate();
  const [username] = valuesOf(subject?.CN);
  if (!username || Date.parse(end) < clock.now()) return undefined;
  return { username, groups: [...valuesOf(subject.O), 'system:authenticated'] };
}

const valuesOf = (value: string | string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat();

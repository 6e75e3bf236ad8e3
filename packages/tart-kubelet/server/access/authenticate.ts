/** Who calls: the holder of a client certificate of the cluster, or of a token the API server knows. Nobody else. */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { type Clock, minutes } from '@minifleet/clock';
import { createExpiringCache } from '../expiring-cache.ts';
import type { Reviews, User } from './reviews.ts';

interface AuthenticateOptions {
  readonly reviews: Pick<Reviews, 'whose'>;
  readonly clock: Clock;
}

const MOST_TOKENS = 1_000;

/** The promise is rejected when the API server cannot be asked. */
export function createAuthenticate({
  reviews,
  clock,
}: AuthenticateOptions): (request: IncomingMessage) => Promise<User | undefined> {
  const tokens = createExpiringCache<User | undefined>({ clock, lifetime: () => minutes(2), most: MOST_TOKENS });
  return async request => {
    const holder = certificateHolder(request, clock);
    if (holder) return holder;
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    return token === undefined ? undefined : tokens.get(token, () => reviews.whose(token));
  };
}

/** A connection may outlive its certificate, so its end is looked at with every request. */
function certificateHolder({ socket }: IncomingMessage, clock: Clock): User | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { subject, valid_to: end } = socket.getPeerCertificate();
  const [username] = valuesOf(subject?.CN);
  if (!username || Date.parse(end) < clock.now()) return undefined;
  return { username, groups: [...valuesOf(subject.O), 'system:authenticated'] };
}

const valuesOf = (value: string | string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat();

import type { Scope } from '../accounts.ts';
import { ApiError } from '../rest/api-error.ts';
import type { Answer, Call, Route } from '../rest/route.ts';
import type { MessageSession } from './message-session.ts';
import type { ScaleSets } from './scale-sets.ts';

/** Where the exchange of a registration token leads: a path of this world, for the real one is never written by hand. */
export const TENANT = '/_world/actions/{tenant}';

const bearer = ({ authorization }: Call): string => /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized');

/** The organization or repository the admin token was given for. */
export function adminScope(call: Call): Scope {
  const grant = call.forge.tokens.find('admin', bearer(call));
  if (!grant) throw unauthorized();
  return grant.scope;
}

/** The session of the queue token: 401 when the token is over, 404 when the session is. */
export function queueSession(sets: ScaleSets, call: Call): MessageSession {
  const grant = call.forge.tokens.find('queue', bearer(call));
  if (!grant) throw unauthorized();
  const session = sets.findSession(grant.sessionId);
  if (!session) throw new ApiError(404, 'The session does not exist.');
  return session;
}

export const beside = (method: Route['method'], path: string, answer: Route['answer']): Route => ({
  method,
  path,
  as: 'anyone',
  beside: true,
  answer,
});

/** JSON, with a byte order mark before it when that oddity is in force. */
export function answerWith(sets: ScaleSets, body: unknown): Answer {
  const mark = sets.habits.oddities.has('byte order mark') ? '\ufeff' : '';
  return { status: 200, text: mark + JSON.stringify(body) };
}

import type { GithubCall, GithubResponse, GithubRoute } from '../rest/route.ts';
import type { MessageSession } from './message-session.ts';
import { ServiceError, scaleSetView } from './scale-set.ts';
import { adminScope, internalRoute, jsonResponse, queueSession, type ScaleSets, TENANT } from './scale-sets.ts';

const SET = `${TENANT}/_apis/runtime/runnerscalesets/{id}`;
const SESSION = `${SET}/sessions/{session}`;

/** A listener's session: open, renew its token, close, and acquire offered jobs. */
export function sessionRoutes(sets: ScaleSets): readonly GithubRoute[] {
  return [
    internalRoute('POST', `${SET}/sessions`, call => {
      const set = sets.find(adminScope(call), Number(call.parameters['id']));
      const { ownerName } = call.body;
      return show(sets, call, sets.openSession(set, typeof ownerName === 'string' ? ownerName : ''));
    }),
    internalRoute('PATCH', SESSION, call => {
      const session = sessionOf(sets, call);
      sets.seen(session);
      return show(sets, call, session);
    }),
    internalRoute('DELETE', SESSION, call => {
      sets.closeSession(sessionOf(sets, call));
      return { status: 204 };
    }),
    internalRoute('POST', `${SET}/acquirejobs`, call => {
      const { set } = queueSession(sets, call);
      const value = sets.assignments.acquire(set, Object.values(call.body).map(Number));
      return jsonResponse(sets, { count: value.length, value });
    }),
  ];
}

function sessionOf(sets: ScaleSets, call: GithubCall): MessageSession {
  const set = sets.find(adminScope(call), Number(call.parameters['id']));
  const session = sets.findSession(call.parameters['session'] ?? '');
  if (session?.set === set) return session;
  throw new ServiceError(404, 'RunnerScaleSetSessionNotFoundException', 'The session does not exist.');
}

function show(sets: ScaleSets, { forge }: GithubCall, session: MessageSession): GithubResponse {
  const { set, id, owner } = session;
  const statistics = sets.behaviour.quirks.has('no statistics') ? {} : { statistics: sets.statistics(set) };
  const address = `${forge.address.api}/_world/actions/${set.scope.account.id}/message?sessionId=${id}`;
  return jsonResponse(sets, {
    sessionId: id,
    ownerName: owner,
    runnerScaleSet: scaleSetView(set, sets.statistics(set)),
    messageQueueUrl: sets.behaviour.quirks.has('empty queue URL') ? '' : address,
    messageQueueAccessToken: forge.tokens.mint({ kind: 'queue', sessionId: id }).token,
    ...statistics,
  });
}

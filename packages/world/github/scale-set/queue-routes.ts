import { GithubApiError } from '../rest/github-api-error.ts';
import type { GithubCall, GithubResponse, GithubRoute } from '../rest/route.ts';
import type { Message, MessageSession } from './message-session.ts';
import { internalRoute, jsonResponse, queueSession, type ScaleSets, TENANT } from './scale-sets.ts';

const QUEUE = `${TENANT}/message`;

/** The message queue: polled for up to 50 s with the capacity in a header, acknowledged message by message. */
export function queueRoutes(sets: ScaleSets): readonly GithubRoute[] {
  return [
    internalRoute('GET', QUEUE, call => poll(sets, call)),
    internalRoute('DELETE', `${QUEUE}/{message}`, call => {
      const session = queueSession(sets, call);
      if (sets.behaviour.quirks.has('acknowledgement ignored')) return { status: 204 };
      if (session.acknowledge(Number(call.parameters['message']))) return { status: 204 };
      throw new GithubApiError(404, 'The message does not exist.');
    }),
  ];
}

async function poll(sets: ScaleSets, call: GithubCall): Promise<GithubResponse> {
  const session = queueSession(sets, call);
  const capacity = Number(call.headers['x-scalesetmaxcapacity']);
  if (!Number.isInteger(capacity) || capacity < 0)
    throw new GithubApiError(400, 'X-ScaleSetMaxCapacity is not a number.');
  session.capacity = capacity;
  sets.seen(session);
  sets.assignments.distribute();
  const message = await waitForMessage(session, call);
  if (session.ended) throw new GithubApiError(404, 'The session does not exist.');
  sets.seen(session);
  if (!message) return { status: 202 };
  return sets.behaviour.quirks.has('empty message') ? { status: 200 } : show(sets, session, message);
}

async function waitForMessage(
  session: MessageSession,
  { forge, query, signal }: GithubCall,
): Promise<Message | undefined> {
  const enough = new AbortController();
  const timer = forge.timers.after(forge.behaviour.longPoll, () => enough.abort());
  try {
    return await session.next(Number(query.get('lastMessageId') ?? 0), AbortSignal.any([enough.signal, signal]));
  } finally {
    timer.cancel();
  }
}

/** The statistics are those of the time of sending. */
function show(sets: ScaleSets, { set }: MessageSession, { id, entries }: Message): GithubResponse {
  const { quirks } = sets.behaviour;
  const strange = quirks.has('unknown entry') ? [{ messageType: 'JobPondered' }] : [];
  return jsonResponse(sets, {
    messageId: id,
    messageType: 'RunnerScaleSetJobMessages',
    body: JSON.stringify([...strange, ...entries]),
    ...(!quirks.has('no statistics') && { statistics: sets.statistics(set) }),
  });
}

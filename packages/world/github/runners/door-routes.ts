import type { Conclusion, Job } from '../jobs/job.ts';
import { ApiError } from '../rest/api-error.ts';
import type { Answer, Call, Route } from '../rest/route.ts';
import { runnerView } from '../rest/view/runner-view.ts';
import { encodeJitConfig } from './jit-config.ts';
import { type Registration, RegistrationRefused, registerRunner } from './register-runner.ts';
import type { Session } from './session.ts';
import { SessionRefused, type Sessions } from './sessions.ts';
import { createWatch } from './watch.ts';

const DOOR = '/_world/runner';
const CONCLUSIONS: readonly string[] = ['success', 'failure', 'cancelled', 'timed_out'];

/**
 * Where a real process inside a simulated VM acts as a runner, under a path GitHub does not have: it signs in with the
 * `ClientId` of its configuration as bearer, asks for a job, finishes it. The real protocol between a runner and the
 * service is closed; this is only its effect.
 */
export function doorRoutes(sessions: Sessions): readonly Route[] {
  const watch = createWatch();
  const route = (method: Route['method'], path: string, answer: Route['answer']): Route => ({
    method,
    path: DOOR + path,
    as: 'anyone',
    beside: true,
    answer,
  });
  const signedIn = (answer: (session: Session, call: Call) => Answer | Promise<Answer>): Route['answer'] => {
    return call => {
      const session = sessionOf(sessions, call);
      watch.seen(session, call.forge);
      return answer(session, call);
    };
  };
  return [
    route('POST', '/register', call => register(call)),
    route('POST', '/session', call => {
      const session = openSession(sessions, call);
      watch.seen(session, call.forge);
      return { status: 201, body: runnerView(session.runner) };
    }),
    route('GET', '/job', signedIn(nextJob)),
    route(
      'POST',
      '/renew',
      signedIn(({ runner }) => ({ status: 200, body: runner.job ? jobOf(runner.job) : {} })),
    ),
    route('POST', '/finish', signedIn(finish)),
    route(
      'DELETE',
      '/session',
      signedIn(session => {
        session.close();
        return { status: 204 };
      }),
    ),
  ];
}

const clientOf = ({ authorization }: Call): string => /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';

function register({ forge, body }: Call): Answer {
  try {
    const { runner, files } = registerRunner(forge, body as unknown as Registration);
    return { status: 201, body: { runner: runnerView(runner), encoded_jit_config: encodeJitConfig(files) } };
  } catch (error) {
    if (error instanceof RegistrationRefused) throw new ApiError(error.status, error.message);
    throw error;
  }
}

function openSession(sessions: Sessions, call: Call): Session {
  try {
    return sessions.open(clientOf(call), call.body);
  } catch (error) {
    if (error instanceof SessionRefused) throw new ApiError(409, error.message);
    throw error;
  }
}

function sessionOf(sessions: Sessions, call: Call): Session {
  const runner = call.forge.runners.findByClient(clientOf(call));
  const session = runner && sessions.of(runner);
  if (!session?.open) throw new ApiError(401, 'No session');
  return session;
}

async function nextJob(session: Session, { forge, signal }: Call): Promise<Answer> {
  // The answer to an earlier question was lost: it is the same job again.
  if (session.runner.job) return { status: 200, body: jobOf(session.runner.job) };
  const enough = new AbortController();
  const timer = forge.timers.after(forge.habits.longPoll, () => enough.abort());
  const job = await session.nextJob(AbortSignal.any([enough.signal, signal]));
  timer.cancel();
  return job ? { status: 200, body: jobOf(job) } : { status: 204 };
}

function finish(session: Session, { body }: Call): Answer {
  const conclusion = body['conclusion'];
  if (typeof conclusion !== 'string' || !CONCLUSIONS.includes(conclusion)) {
    throw new ApiError(422, `conclusion is one of ${CONCLUSIONS.join(', ')}`);
  }
  session.finishJob(conclusion as Conclusion);
  return { status: 204 };
}

const jobOf = (job: Job): Record<string, unknown> => ({
  id: job.id,
  run_id: job.runId,
  name: job.name,
  workflow: job.workflow,
  repository: job.scope.repository.fullName,
  labels: job.labels,
  takes_milliseconds: job.takes ?? null,
  ends: job.ends ?? null,
  cancelled: job.cancelled.aborted,
});

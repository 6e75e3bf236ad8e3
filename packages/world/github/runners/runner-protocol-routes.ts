import type { Timer } from '@minifleet/clock';
import type { GithubState } from '../github-state.ts';
import { aborted, type Conclusion, type Job } from '../jobs/job.ts';
import { GithubApiError } from '../rest/github-api-error.ts';
import type { GithubCall, GithubResponse, GithubRoute } from '../rest/route.ts';
import { runnerView } from '../rest/view/account-view.ts';
import { encodeJitConfig } from './jit-config.ts';
import { RegistrationRefused, type RunnerRegistration, registerRunner } from './register-runner.ts';
import { deprecatedVersion } from './runner-releases.ts';
import type { Session } from './session.ts';
import { REGISTRATION_DELETED, SessionRefused, type Sessions } from './sessions.ts';

const DOOR = '/_world/runner';
const CONCLUSIONS: readonly string[] = ['success', 'failure', 'cancelled', 'timed_out'];

/**
 * Endpoints for a real process inside a simulated VM that acts as a runner, under a path that GitHub does not have. The
 * process authenticates with the `ClientId` of its configuration as bearer token, polls for a job and finishes it. The
 * real protocol between runner and service is closed; this one only has the same effect.
 */
export function runnerProtocolRoutes(sessions: Sessions): readonly GithubRoute[] {
  const watch = createSessionWatchdog();
  const route = (method: GithubRoute['method'], path: string, answer: GithubRoute['answer']): GithubRoute => ({
    method,
    path: DOOR + path,
    as: 'anyone',
    beside: true,
    answer,
  });
  const signedIn = (
    answer: (session: Session, call: GithubCall) => GithubResponse | Promise<GithubResponse>,
  ): GithubRoute['answer'] => {
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
    route('POST', '/start', signedIn(start)),
    route('GET', '/news', signedIn(news)),
    route('POST', '/log', signedIn(log)),
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

const clientOf = ({ authorization }: GithubCall): string => /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';

function register({ forge, body }: GithubCall): GithubResponse {
  try {
    const { runner, files } = registerRunner(forge, body as unknown as RunnerRegistration);
    return { status: 201, body: { runner: runnerView(runner), encoded_jit_config: encodeJitConfig(files) } };
  } catch (error) {
    if (error instanceof RegistrationRefused) throw new GithubApiError(error.status, error.message);
    throw error;
  }
}

function openSession(sessions: Sessions, call: GithubCall): Session {
  try {
    return sessions.open(clientOf(call), call.body);
  } catch (error) {
    if (!(error instanceof SessionRefused)) throw error;
    throw new GithubApiError(error.message === REGISTRATION_DELETED ? 401 : 409, error.message);
  }
}

function sessionOf(sessions: Sessions, call: GithubCall): Session {
  const runner = call.forge.runners.findByClient(clientOf(call));
  const session = runner && sessions.of(runner);
  if (!session?.open) throw new GithubApiError(401, 'No session');
  return session;
}

async function nextJob(session: Session, call: GithubCall): Promise<GithubResponse> {
  const { job, version } = session.runner;
  // The broker refuses the poll, not the session: the listener has printed `Listening for Jobs` by then.
  if (!call.forge.releases.mayPoll(version)) throw new GithubApiError(403, deprecatedVersion(version ?? 'unknown'));
  // The response to an earlier poll was lost, so the same job is returned again. A started job is never returned again.
  if (job?.begun.length === 0) return { status: 200, body: jobOf(job) };
  const given = await longPoll(call, signal => session.nextJob(signal));
  return given ? { status: 200, body: jobOf(given) } : { status: 204 };
}

/** Keeps a poll open for the configured time, or until the client disconnects. */
async function longPoll<T>({ forge, signal }: GithubCall, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timeout = new AbortController();
  const timer = forge.timers.after(forge.behaviour.longPoll, () => timeout.abort());
  const answer = await wait(AbortSignal.any([timeout.signal, signal]));
  timer.cancel();
  return answer;
}

function start(session: Session): GithubResponse {
  if (session.beginJob()) return { status: 204 };
  throw new GithubApiError(409, 'Another process has started the job.');
}

/** Reports changes of the running job: it was cancelled, or a held job may end. */
async function news({ runner }: Session, call: GithubCall): Promise<GithubResponse> {
  const { job } = runner;
  if (!job) throw new GithubApiError(409, 'The runner has no job.');
  const known = call.query.get('released') === 'true';
  await longPoll(call, signal => aborted(AbortSignal.any([signal, job.cancelled, ...(known ? [] : [job.released])])));
  const changed = job.cancelled.aborted || (job.released.aborted && !known);
  return changed ? { status: 200, body: jobOf(job) } : { status: 204 };
}

function log({ runner }: Session, { body }: GithubCall): GithubResponse {
  const { text } = body;
  if (runner.job && typeof text === 'string') runner.job.log += text;
  return { status: 204 };
}

function finish(session: Session, { body }: GithubCall): GithubResponse {
  const conclusion = body['conclusion'];
  if (typeof conclusion !== 'string' || !CONCLUSIONS.includes(conclusion)) {
    throw new GithubApiError(422, `conclusion must be one of ${CONCLUSIONS.join(', ')}`);
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
  script: job.script ?? null,
  takes_milliseconds: job.takes ?? null,
  held: job.held,
  ends: job.ends ?? null,
  cancelled: job.cancelled.aborted,
  released: job.released.aborted,
});

/** Detects runners that stopped polling because their process or VM is gone. */
interface SessionWatchdog {
  seen(session: Session, forge: GithubState): void;
}

function createSessionWatchdog(): SessionWatchdog {
  const timers = new WeakMap<Session, Timer>();
  return {
    seen(session, forge) {
      timers.get(session)?.cancel();
      const check = (): void => {
        // An open poll shows that the runner is alive.
        if (session.asking) timers.set(session, forge.timers.after(forge.behaviour.sessionLapse, check));
        else session.lapse();
      };
      timers.set(session, forge.timers.after(forge.behaviour.sessionLapse, check));
    },
  };
}

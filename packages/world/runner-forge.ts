import { type Clock, pause, seconds } from '@minifleet/clock';
import { completedJob, runningJob } from './actions-runner/listener.ts';
import { doWork, type Job } from './github/jobs/job.ts';
import { RegistrationRefused } from './github/runners/register-runner.ts';
import { OUTDATED_REGISTRATION } from './github/runners/runner-releases.ts';
import type { Session } from './github/runners/session.ts';
import { SESSION_EXISTS, SessionRefused } from './github/runners/sessions.ts';
import type { Github } from './github/start-github.ts';
import type { OnlineRunner, RunnerForge } from './mac/builder/image-builder.ts';
import { runStep } from './mac/builder/runner-listen.ts';

interface RunnerListener {
  readonly stop: AbortController;
  session: Session | undefined;
}

/** `run.sh` retries while a session from before a reboot still exists. */
const SESSION_RETRY = seconds(30);
const MOST_TRIES = 8;

/** Connects `config.sh` and `run.sh` of a simulated Mac to this server. A job's script runs on the Mac that took it. */
export function runnerForge(github: Github): RunnerForge {
  const { runners, accounts } = github.state;
  const listening = new Map<OnlineRunner, RunnerListener>();
  return {
    async register(registration) {
      try {
        return { id: github.registerRunner(registration).runner.id };
      } catch (error) {
        if (!(error instanceof RegistrationRefused)) throw error;
        return { status: error.status, message: shortMessage(error) };
      }
    },
    async unregister(url, id) {
      const scope = accounts.findScope(new URL(url).pathname.replace(/^\/+|\/+$/g, ''));
      const runner = scope && runners.find(scope, id);
      if (runner) runners.remove(runner);
    },
    connect: ({ id }) => (runners.all.some(runner => runner.id === id) ? 'connected' : 'deleted'),
    online(where) {
      const known: RunnerListener = { stop: new AbortController(), session: undefined };
      listening.set(where, known);
      void listen(github, where, known);
    },
    offline(where) {
      const known = listening.get(where);
      listening.delete(where);
      // After a power failure in the middle of a job, no process reports its end.
      if (known?.session?.runner.job && !where.mac.running) known.session.vanish();
      known?.stop.abort();
    },
  };
}

/** `config.sh` of a simulated Mac frames the message itself. */
function shortMessage({ status, message }: RegistrationRefused): string {
  if (status !== 404) return message.trim();
  return message.includes(OUTDATED_REGISTRATION) ? OUTDATED_REGISTRATION : 'Not Found';
}

async function listen(github: Github, where: OnlineRunner, known: RunnerListener): Promise<void> {
  const { clock } = github.state.world;
  const { signal } = known.stop;
  for (let tries = 0; tries < MOST_TRIES && !signal.aborted; tries++) {
    const session = openSession(github, where);
    if (session !== 'taken') {
      known.session = session;
      if (session) await workOnJobs(session, { clock, signal, run: scriptsOn(where), say: where.say });
      return;
    }
    await pause(clock, SESSION_RETRY, signal);
  }
}

/** Returns undefined when the registration is gone, so that a retry is useless. */
function openSession(github: Github, where: OnlineRunner): Session | 'taken' | undefined {
  const { runners, world } = github.state;
  const clientId = runners.all.find(runner => runner.id === where.id)?.clientId ?? '';
  try {
    return github.connect(clientId, { os: 'macOS' });
  } catch (error) {
    if (!(error instanceof SessionRefused)) throw error;
    world.journal.add('github', 'session refused', `${where.name}: ${error.message}`);
    return error.message === SESSION_EXISTS ? 'taken' : undefined;
  }
}

const scriptsOn =
  (where: OnlineRunner): RunScript =>
  (job, script, signal) =>
    runStep(where, {
      script,
      job: { repository: job.scope.repository.fullName, runId: job.runId, job: job.name },
      onOutput: text => {
        job.log += text;
      },
      signal,
    });

/** Runs a job's script where the runner is, and appends its output to the job's log. */
type RunScript = (job: Job, script: string, signal: AbortSignal) => Promise<number>;

interface WorkOnJobsOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Default: a job with a script fails. */
  readonly run?: RunScript;
  /** Receives the output of the listener. */
  readonly say?: (line: string) => void;
}

/**
 * Simulates `run.sh` while its session is open: takes jobs and runs them. An ephemeral runner returns after one job.
 * When the signal aborts, the session is closed; `session.vanish` simulates a killed process.
 */
export async function workOnJobs(session: Session, options: WorkOnJobsOptions): Promise<readonly Job[]> {
  const { clock, signal, run = noShell, say = () => undefined } = options;
  const done: Job[] = [];
  while (session.open) {
    const job = await session.nextJob(signal);
    if (!job) break;
    if (!session.beginJob()) continue;
    say(runningJob(clock.now(), job.name));
    const conclusion = await doWork(job, {
      clock,
      run: (script, stopped) => run(job, script, stopped),
      signal: AbortSignal.any([job.cancelled, ...(signal ? [signal] : [])]),
    });
    say(completedJob(clock.now(), job.name, conclusion));
    if (signal?.aborted) break;
    session.finishJob(conclusion);
    done.push(job);
  }
  session.close();
  return done;
}

const noShell: RunScript = async job => {
  job.log += 'this runner has no shell\n';
  return 127;
};

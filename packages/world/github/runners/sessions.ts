import type { Timer } from '@minifleet/clock';
import type { GithubState } from '../github-state.ts';
import type { Conclusion, Job } from '../jobs/job.ts';
import { covers } from '../jobs/jobs.ts';
import { busy, type Runner, serves } from './runner.ts';

import { Session, type SessionHandler } from './session.ts';

/** Thrown to a runner in the words its listener prints. */
export class SessionRefused extends Error {
  override readonly name = 'SessionRefused';
}

/** In the words of actions/runner's source. */
export const REGISTRATION_DELETED =
  'Failed to create a session. The runner registration has been deleted from the server, please re-configure. ' +
  'Runner registrations are automatically deleted for runners that have not connected to the service recently.';
export const SESSION_EXISTS = 'A session for this runner already exists.';

/** What a runner tells about itself when it signs in. */
interface RunnerInfo {
  readonly os?: string;
  readonly version?: string;
}

type SessionsDeps = Pick<GithubState, 'around' | 'habits' | 'timers' | 'runners' | 'jobs'>;

/** Who is signed in, and who gets which job: the oldest first, to any eligible runner that asks. */
export class Sessions implements SessionHandler {
  readonly #parts: SessionsDeps;
  readonly #sessions = new Map<Runner, Session>();
  readonly #lapses = new Map<Runner, Timer>();
  #opened = 0;

  constructor(parts: SessionsDeps) {
    this.#parts = parts;
    parts.jobs.onChange((_, action) => {
      if (action === 'queued') this.offer();
    });
    parts.runners.onGone(runner => {
      this.#end(runner);
      this.#letLeaseLapse(runner);
    });
  }

  open(clientId: string, greeting: RunnerInfo = {}): Session {
    const { runners, around } = this.#parts;
    const runner = runners.findByClient(clientId);
    if (!runner || runner.leaving) throw new SessionRefused(REGISTRATION_DELETED);
    if (this.#sessions.has(runner)) throw new SessionRefused(SESSION_EXISTS);
    runner.os = greeting.os ?? (runner.os === 'unknown' ? 'macOS' : runner.os);
    runner.version = greeting.version ?? runner.version;
    const session = new Session(runner, ++this.#opened, this);
    this.#sessions.set(runner, session);
    runners.markOnline(runner);
    around.journal.add('github', 'runner online', runner.name);
    return session;
  }

  of(runner: Runner): Session | undefined {
    return this.#sessions.get(runner);
  }

  offer(): void {
    for (const job of this.#parts.jobs.queued) {
      const session = this.#choose([...this.#sessions.values()].filter(each => each.asking && eligible(each, job)));
      if (!session) continue;
      this.#parts.jobs.start(job, session.runner);
      session.give(job);
    }
  }

  begin({ runner, number: session }: Session): boolean {
    const { id, name, ephemeral, job } = runner;
    return job !== undefined && this.#parts.jobs.begin(job, { id, name, ephemeral, session });
  }

  finish(runner: Runner, conclusion: Conclusion): void {
    const { jobs, habits, timers, runners } = this.#parts;
    const { job } = runner;
    if (!job) return;
    runner.job = undefined;
    runner.leaving = runner.ephemeral;
    jobs.finish(job, conclusion);
    if (!runner.ephemeral) return;
    const leave = (): void => {
      runner.leaving = false;
      runners.remove(runner);
    };
    if (habits.lingerAfterJob === 0) leave();
    else timers.after(habits.lingerAfterJob, leave);
  }

  close(session: Session): void {
    this.finish(session.runner, 'cancelled');
    this.#end(session.runner);
  }

  vanish({ runner }: Session): void {
    const { around, timers, habits } = this.#parts;
    around.journal.add('github', 'runner lost', runner.name);
    const lapse = timers.after(habits.sessionLapse, () => this.#end(runner));
    this.#lapses.set(runner, lapse);
    this.#letLeaseLapse(runner);
  }

  lapse({ runner }: Session): void {
    this.#end(runner);
    this.#letLeaseLapse(runner);
  }

  #end(runner: Runner): void {
    const session = this.#sessions.get(runner);
    if (!session) return;
    this.#sessions.delete(runner);
    this.#lapses.get(runner)?.cancel();
    this.#lapses.delete(runner);
    session.end();
    this.#parts.runners.markOffline(runner);
    this.#parts.around.journal.add('github', 'runner offline', runner.name);
  }

  /** Nobody reports the end of this job any more: it fails when the service notices. */
  #letLeaseLapse(runner: Runner): void {
    const { job } = runner;
    if (!job) return;
    this.#parts.timers.after(this.#parts.habits.leaseLapse, () => {
      if (runner.job !== job) return;
      this.finish(runner, 'failure');
      // One that stays may have come back meanwhile, and waits for another.
      this.offer();
    });
  }

  #choose(candidates: readonly Session[]): Session | undefined {
    const { habits, around } = this.#parts;
    if (habits.choice === 'any') return candidates[around.chance.integer(candidates.length)];
    return habits.choice === 'newest' ? candidates.at(-1) : candidates[0];
  }
}

function eligible({ runner, open }: Session, job: Job): boolean {
  if (!open || busy(runner) || runner.scaleSetId !== job.scaleSetId) return false;
  if (!covers(runner.scope, job) || !serves(runner.labels, job.labels)) return false;
  const group = runner.scope.account.groups.find(each => each.id === runner.groupId);
  return group?.repositories?.includes(job.scope.repository.name) ?? true;
}

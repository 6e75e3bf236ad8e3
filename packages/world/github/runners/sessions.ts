import type { Timer } from '@minifleet/clock';
import type { GithubState } from '../github-state.ts';
import type { Conclusion, Job } from '../jobs/job.ts';
import { covers } from '../jobs/jobs.ts';
import { busy, type Runner, serves } from './runner.ts';

import { Session, type SessionHandler } from './session.ts';

/** Thrown with the message that the runner's listener prints. */
export class SessionRefused extends Error {
  override readonly name = 'SessionRefused';
}

/** Messages of actions/runner's source. */
export const REGISTRATION_DELETED =
  'Failed to create a session. The runner registration has been deleted from the server, please re-configure. ' +
  'Runner registrations are automatically deleted for runners that have not connected to the service recently.';
export const SESSION_EXISTS = 'A session for this runner already exists.';

/** Properties that a runner reports when it connects. */
interface RunnerInfo {
  readonly os?: string;
  readonly version?: string;
}

type SessionsDeps = Pick<GithubState, 'world' | 'behaviour' | 'timers' | 'runners' | 'jobs'>;

/** Open sessions, and the assignment of jobs: oldest job first, to any eligible runner that polls. */
export class Sessions implements SessionHandler {
  readonly #deps: SessionsDeps;
  readonly #sessions = new Map<Runner, Session>();
  readonly #lapses = new Map<Runner, Timer>();
  #opened = 0;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    deps.jobs.onChange((_, action) => {
      if (action === 'queued') this.offer();
    });
    deps.runners.onGone(runner => {
      this.#end(runner);
      this.#letLeaseLapse(runner);
    });
  }

  open(clientId: string, greeting: RunnerInfo = {}): Session {
    const { runners, world } = this.#deps;
    const runner = runners.findByClient(clientId);
    if (!runner || runner.leaving) throw new SessionRefused(REGISTRATION_DELETED);
    if (this.#sessions.has(runner)) throw new SessionRefused(SESSION_EXISTS);
    runner.os = greeting.os ?? (runner.os === 'unknown' ? 'macOS' : runner.os);
    runner.version = greeting.version ?? runner.version;
    const session = new Session(runner, ++this.#opened, this);
    this.#sessions.set(runner, session);
    runners.markOnline(runner);
    this.#limitIdleTime(session);
    world.journal.add('github', 'runner online', runner.name);
    return session;
  }

  of(runner: Runner): Session | undefined {
    return this.#sessions.get(runner);
  }

  offer(): void {
    for (const job of this.#deps.jobs.queued) {
      const session = this.#choose([...this.#sessions.values()].filter(each => each.asking && eligible(each, job)));
      if (!session) continue;
      this.#deps.jobs.start(job, session.runner);
      session.give(job);
    }
  }

  begin({ runner, number: session }: Session): boolean {
    const { id, name, ephemeral, job } = runner;
    return job !== undefined && this.#deps.jobs.begin(job, { id, name, ephemeral, session });
  }

  finish(runner: Runner, conclusion: Conclusion): void {
    const { jobs, behaviour, timers, runners } = this.#deps;
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
    if (behaviour.lingerAfterJob === 0) leave();
    else timers.after(behaviour.lingerAfterJob, leave);
  }

  close(session: Session): void {
    this.finish(session.runner, 'cancelled');
    this.#end(session.runner);
  }

  vanish({ runner }: Session): void {
    const { world, timers, behaviour } = this.#deps;
    world.journal.add('github', 'runner lost', runner.name);
    const lapse = timers.after(behaviour.sessionLapse, () => this.#end(runner));
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
    this.#deps.runners.markOffline(runner);
    this.#deps.world.journal.add('github', 'runner offline', runner.name);
  }

  /** Removes a runner that is still idle after the limit, as GitHub did to JIT runners (actions/runner#4726). */
  #limitIdleTime({ runner, number }: Session): void {
    const { behaviour, timers, runners } = this.#deps;
    if (behaviour.idleLimit === 0 || !runner.ephemeral) return;
    timers.after(behaviour.idleLimit, () => {
      if (this.#sessions.get(runner)?.number === number) runners.remove(runner);
    });
  }

  /** No process reports the end of this job any more: it fails when the lease expires. */
  #letLeaseLapse(runner: Runner): void {
    const { job } = runner;
    if (!job) return;
    this.#deps.timers.after(this.#deps.behaviour.leaseLapse, () => {
      if (runner.job !== job) return;
      this.finish(runner, 'failure');
      // A persistent runner may have reconnected in the meantime and wait for another job.
      this.offer();
    });
  }

  #choose(candidates: readonly Session[]): Session | undefined {
    const { behaviour, world } = this.#deps;
    if (behaviour.choice === 'any') return candidates[world.chance.integer(candidates.length)];
    return behaviour.choice === 'newest' ? candidates.at(-1) : candidates[0];
  }
}

function eligible({ runner, open }: Session, job: Job): boolean {
  if (!open || busy(runner) || runner.scaleSetId !== job.scaleSetId) return false;
  if (!covers(runner.scope, job) || !serves(runner.labels, job.labels)) return false;
  const group = runner.scope.account.groups.find(each => each.id === runner.groupId);
  return group?.repositories?.includes(job.scope.repository.name) ?? true;
}

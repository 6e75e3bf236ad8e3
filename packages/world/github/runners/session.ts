import type { Conclusion, Job } from '../jobs/job.ts';
import type { Runner } from './runner.ts';

type DeliverJob = (job: Job | undefined) => void;

/** The service behind a session. */
export interface SessionHandler {
  /** Assigns queued jobs to runners that poll. */
  offer(): void;
  /** Returns false if another session of this runner has started the job. */
  begin(session: Session): boolean;
  finish(runner: Runner, conclusion: Conclusion): void;
  close(session: Session): void;
  vanish(session: Session): void;
  lapse(session: Session): void;
}

/** A runner's connection to the service, held by the listener of `run.sh`. */
export class Session {
  readonly runner: Runner;
  readonly number: number;
  readonly #exchange: SessionHandler;
  readonly #asking: DeliverJob[] = [];
  #state: 'open' | 'vanished' | 'ended' = 'open';

  constructor(runner: Runner, number: number, exchange: SessionHandler) {
    this.runner = runner;
    this.number = number;
    this.#exchange = exchange;
  }

  /** False after `close` or `vanish`, and when the runner was removed. */
  get open(): boolean {
    return this.#state === 'open';
  }

  /** True while the runner waits for a job. */
  get asking(): boolean {
    return this.#asking.length > 0;
  }

  /** Waits for a job; undefined when the signal aborts or the session ends first. */
  nextJob(signal?: AbortSignal): Promise<Job | undefined> {
    if (!this.open || signal?.aborted) return Promise.resolve(undefined);
    return new Promise(resolve => {
      const giveUp = (): void => answer(undefined);
      const answer: DeliverJob = job => {
        signal?.removeEventListener('abort', giveUp);
        this.#drop(answer);
        resolve(job);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#ask(answer);
    });
  }

  /** Returns a job if one is available now. */
  takeJob(): Job | undefined {
    let taken: Job | undefined;
    const answer: DeliverJob = job => {
      taken = job;
    };
    if (this.open) this.#ask(answer);
    this.#drop(answer);
    return taken;
  }

  /** Called before any work for the job. Returns false if another process with this runner's configuration has started it. */
  beginJob(): boolean {
    return this.open && this.#exchange.begin(this);
  }

  finishJob(conclusion: Conclusion): void {
    if (this.open) this.#exchange.finish(this.runner, conclusion);
  }

  /** Closes the session: the runner is offline at once, and its running job is cancelled. */
  close(): void {
    if (this.open) this.#exchange.close(this);
  }

  /** Simulates a killed VM: the runner stays online for a while, and its job in progress for longer. */
  vanish(): void {
    if (!this.open) return;
    this.#state = 'vanished';
    for (const answer of this.#asking.splice(0)) answer(undefined);
    this.#exchange.vanish(this);
  }

  /** Ends a session that has been silent for too long: the runner is offline, and its job stays in progress for longer. */
  lapse(): void {
    if (this.open) this.#exchange.lapse(this);
  }

  /** For the service: delivers a job. */
  give(job: Job): void {
    this.#asking.shift()?.(job);
  }

  /** For the service: ends the connection. */
  end(): void {
    this.#state = 'ended';
    for (const answer of this.#asking.splice(0)) answer(undefined);
  }

  #ask(answer: DeliverJob): void {
    this.#asking.push(answer);
    this.#exchange.offer();
  }

  #drop(answer: DeliverJob): void {
    const index = this.#asking.indexOf(answer);
    if (index >= 0) this.#asking.splice(index, 1);
  }
}

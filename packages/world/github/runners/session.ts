import type { Conclusion, Job } from '../jobs/job.ts';
import type { Runner } from './runner.ts';

type DeliverJob = (job: Job | undefined) => void;

/** What a session asks of the service behind it. */
export interface SessionHandler {
  /** Gives waiting jobs to runners that ask. */
  offer(): void;
  /** False when another session of this runner has begun its job. */
  begin(session: Session): boolean;
  finish(runner: Runner, conclusion: Conclusion): void;
  close(session: Session): void;
  vanish(session: Session): void;
  lapse(session: Session): void;
}

/** A runner's line to the service: what the listener of `run.sh` holds. */
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

  /** It waits for a job right now. */
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

  /** A job that is there now, or nothing. */
  takeJob(): Job | undefined {
    let taken: Job | undefined;
    const answer: DeliverJob = job => {
      taken = job;
    };
    if (this.open) this.#ask(answer);
    this.#drop(answer);
    return taken;
  }

  /** Before anything is done for the job: false when another process that is this runner has begun it. */
  beginJob(): boolean {
    return this.open && this.#exchange.begin(this);
  }

  finishJob(conclusion: Conclusion): void {
    if (this.open) this.#exchange.finish(this.runner, conclusion);
  }

  /** Says goodbye: offline at once, and a job that ran is cancelled. */
  close(): void {
    if (this.open) this.#exchange.close(this);
  }

  /** Is gone without a word, as a VM that is killed: online for a while, and its job in progress for longer. */
  vanish(): void {
    if (!this.open) return;
    this.#state = 'vanished';
    for (const answer of this.#asking.splice(0)) answer(undefined);
    this.#exchange.vanish(this);
  }

  /** Has not been heard of for so long that the service notices: offline, its job in progress for longer. */
  lapse(): void {
    if (this.open) this.#exchange.lapse(this);
  }

  /** For the service: hands over a job. */
  give(job: Job): void {
    this.#asking.shift()?.(job);
  }

  /** For the service: the line is cut. */
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

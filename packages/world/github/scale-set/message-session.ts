import type { Timer } from '@minifleet/clock';
import type { ScaleSet } from './scale-set.ts';

export interface Message {
  readonly id: number;
  readonly entries: readonly Record<string, unknown>[];
}

const MOST_ENTRIES = 50;
/** Ids are large and opaque on github.com. */
const FIRST_MESSAGE = 100_000_001;

/** The queue of one listener. A message is delivered until it is acknowledged. */
export class MessageSession {
  readonly id: string;
  readonly owner: string;
  readonly set: ScaleSet;
  /** Capacity that the listener last reported. Nothing is assigned before the first report. */
  capacity = 0;
  lapse: Timer | undefined;
  readonly #pending: Record<string, unknown>[] = [];
  readonly #unacknowledged: Message[] = [];
  readonly #waiting = new Set<() => void>();
  #nextId = FIRST_MESSAGE;
  #ended = false;

  constructor(id: string, owner: string, set: ScaleSet) {
    this.id = id;
    this.owner = owner;
    this.set = set;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** True while a poll is open. */
  get polled(): boolean {
    return this.#waiting.size > 0;
  }

  add(entry: Record<string, unknown>): void {
    this.#pending.push(entry);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.lapse?.cancel();
    this.#wake();
  }

  /** Returns the first unacknowledged message after the given one; waits for one until the signal aborts. */
  async next(after: number, signal: AbortSignal): Promise<Message | undefined> {
    for (;;) {
      const message = this.#find(after);
      if (message || signal.aborted || this.#ended) return message;
      await this.#change(signal);
    }
  }

  /** Returns false for an unknown id. */
  acknowledge(id: number): boolean {
    const index = this.#unacknowledged.findIndex(message => message.id === id);
    if (index < 0) return false;
    this.#unacknowledged.splice(index, 1);
    return true;
  }

  #find(after: number): Message | undefined {
    const old = this.#unacknowledged.find(message => message.id > after);
    if (old || this.#pending.length === 0) return old;
    const message = { id: this.#nextId++, entries: this.#pending.splice(0, MOST_ENTRIES) };
    this.#unacknowledged.push(message);
    return message;
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

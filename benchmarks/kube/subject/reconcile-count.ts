/** Counts reconciles and lets somebody wait for a number of them, without asking again and again. */
export class ReconcileCount {
  #count = 0;
  #awaited = Number.POSITIVE_INFINITY;
  #reached: (() => void) | undefined;

  add(): void {
    this.#count++;
    if (this.#count >= this.#awaited) this.#reached?.();
  }

  /** Resolves at once when the count is there already. One at a time. */
  reached(count: number): Promise<void> {
    if (this.#count >= count) return Promise.resolve();
    this.#awaited = count;
    return new Promise(resolve => {
      this.#reached = resolve;
    });
  }
}

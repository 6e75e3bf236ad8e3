/** Counts reconciles, and notifies a caller at a given number without polling. */
export class ReconcileCount {
  #count = 0;
  #awaited = Number.POSITIVE_INFINITY;
  #reached: (() => void) | undefined;

  add(): void {
    this.#count++;
    if (this.#count >= this.#awaited) this.#reached?.();
  }

  /** Resolves when the count is reached. Supports one caller at a time. */
  reached(count: number): Promise<void> {
    if (this.#count >= count) return Promise.resolve();
    this.#awaited = count;
    return new Promise(resolve => {
      this.#reached = resolve;
    });
  }
}

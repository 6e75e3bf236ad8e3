import type { Call } from '../call.ts';

/** Prints `N%` lines when the whole number changes. */
export class Progress {
  readonly #call: Call;
  readonly #total: number;
  #done = 0;
  #shown = -1;

  constructor(call: Call, total: number) {
    this.#call = call;
    this.#total = total;
  }

  add(bytes: number): void {
    this.#done += bytes;
    const percent = this.#total === 0 ? 100 : Math.min(100, Math.floor((this.#done / this.#total) * 100));
    if (percent === this.#shown) return;
    this.#shown = percent;
    this.#call.out(`${percent}%`);
  }
}

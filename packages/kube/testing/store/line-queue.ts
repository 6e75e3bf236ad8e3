/** Lines written on one side and read on the other; the reader waits when there is none. */
export class LineQueue {
  readonly #lines: string[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => undefined;
  readonly #releases: (() => void)[] = [];

  push(line: string): void {
    if (this.#end) return;
    this.#lines.push(line);
    this.#wake();
  }

  /** Nothing comes after this; with an error, the reader gets it once it has read what came before. */
  end(error?: unknown): void {
    if (this.#end) return;
    this.#end = error === undefined ? {} : { error };
    for (const release of this.#releases) release();
    this.#wake();
  }

  /** Registers a function that releases resources when the reader or the writer ends the queue. */
  whenEnded(release: () => void): void {
    if (this.#end) release();
    else this.#releases.push(release);
  }

  async *read(): AsyncGenerator<string> {
    try {
      for (;;) {
        const line = this.#lines.shift();
        if (line !== undefined) yield line;
        else if (!this.#end) await new Promise<void>(resolve => (this.#wake = resolve));
        else if ('error' in this.#end) throw this.#end.error;
        else return;
      }
    } finally {
      this.end(); // a reader that stops reading closes the connection, as one of a real stream does
    }
  }
}

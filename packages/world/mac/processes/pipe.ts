import type { InputStream } from '../mac.ts';

/** Output of a process. */
export interface OutputStream {
  write(content: Buffer | string): void;
}

const NEWLINE = 0x0a;

/** Unbounded pipe from a writer to a reader: bytes written before the first read are kept. */
export class Pipe implements InputStream, OutputStream {
  #chunks: Buffer[] = [];
  #ended = false;
  #readerGone = false;
  #wake: (() => void) | undefined;
  readonly #onBroken: (() => void) | undefined;

  /** `onBroken` is SIGPIPE: a write after the reader is gone. */
  constructor(onBroken?: () => void) {
    this.#onBroken = onBroken;
  }

  write(content: Buffer | string): void {
    if (content.length === 0) return;
    if (this.#readerGone) {
      this.#onBroken?.();
      return;
    }
    this.#chunks.push(typeof content === 'string' ? Buffer.from(content) : content);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Marks the reader as gone: nothing more is kept. */
  abandon(): void {
    this.#readerGone = true;
    this.#chunks = [];
  }

  async read(): Promise<Buffer | undefined> {
    while (this.#chunks.length === 0 && !this.#ended)
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    return this.#chunks.shift();
  }

  async readLine(): Promise<string | undefined> {
    const taken: Buffer[] = [];
    for (let chunk = await this.read(); chunk; chunk = await this.read()) {
      const end = chunk.indexOf(NEWLINE);
      if (end >= 0) {
        if (end + 1 < chunk.length) this.#chunks.unshift(chunk.subarray(end + 1));
        return Buffer.concat([...taken, chunk.subarray(0, end)]).toString();
      }
      taken.push(chunk);
    }
    return taken.length > 0 ? Buffer.concat(taken).toString() : undefined;
  }

  async readAll(): Promise<Buffer> {
    const taken: Buffer[] = [];
    for (let chunk = await this.read(); chunk; chunk = await this.read()) taken.push(chunk);
    const [first] = taken;
    return taken.length === 1 && first ? first : Buffer.concat(taken);
  }
}

/** Returns an input with a fixed content. */
export function inputOf(content: Buffer | string): InputStream {
  const pipe = new Pipe();
  pipe.write(content);
  pipe.end();
  return pipe;
}

/** zsh's MULTIOS: several sources of one input are read one after the other. */
export function concatenated(inputs: readonly InputStream[]): InputStream {
  const pipe = new Pipe();
  const pour = async (): Promise<void> => {
    for (const input of inputs)
      for (let chunk = await input.read(); chunk; chunk = await input.read()) pipe.write(chunk);
    pipe.end();
  };
  // zsh forks a process that copies immediately, whether the command reads or not.
  void pour();
  return pipe;
}

/** Collects everything written to it. */
export class Collector implements OutputStream {
  readonly #chunks: Buffer[] = [];

  write(content: Buffer | string): void {
    this.#chunks.push(Buffer.from(content));
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  toString(): string {
    return this.bytes().toString();
  }
}

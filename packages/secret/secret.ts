import { inspect } from 'node:util';

/** A secret value. It prints, logs and serialises as its name; only `reveal` returns the value. */
export class Secret {
  readonly name: string;
  readonly #value: Buffer;

  constructor(name: string, value: string | Uint8Array) {
    this.name = name;
    this.#value = Buffer.from(value);
  }

  reveal(): Buffer {
    return this.#value;
  }

  toString(): string {
    return `[${this.name}]`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

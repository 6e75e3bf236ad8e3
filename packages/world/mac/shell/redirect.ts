import type { InputStream } from '../mac.ts';
import { concatenated, inputOf, type OutputStream } from '../processes/pipe.ts';
import { expandText } from './expand.ts';
import { expansionOf, fileFailure, type ShellScope } from './interpret.ts';
import { absolute, CommandFailure, type ShellStreams } from './shell-state.ts';

import type { Redirection } from './syntax.ts';

export interface OpenRedirections {
  readonly streams: ShellStreams;
  close(): void;
}

/** Ends of the command that are part of a pipeline. With zsh's MULTIOS they stay open in addition to redirections. */
export interface PipedEnds {
  readonly stdin: boolean;
  readonly out: boolean;
}

const nowhere: OutputStream = { write: () => undefined };

const teeOf = (first: OutputStream, second: OutputStream): OutputStream => ({
  write(content) {
    first.write(content);
    second.write(content);
  },
});

/** Opens redirections from left to right. Throws the shell's error with everything closed again. */
export async function openRedirections(
  scope: ShellScope,
  redirections: readonly Redirection[],
  piped: PipedEnds,
): Promise<OpenRedirections> {
  const opening = new RedirectionOpener(scope, piped);
  try {
    for (const redirection of redirections) await opening.add(redirection);
  } catch (error) {
    opening.close();
    throw error;
  }
  return { streams: opening.streams, close: () => opening.close() };
}

class RedirectionOpener {
  readonly streams: ShellStreams;
  readonly #scope: ShellScope;
  readonly #closers: (() => void)[] = [];
  /** Descriptors of this command that are already redirected; in zsh a second redirection adds to the first. */
  readonly #taken: Set<number>;

  constructor(scope: ShellScope, piped: PipedEnds) {
    this.#scope = scope;
    this.streams = { ...scope.streams };
    this.#taken = new Set([...(piped.stdin ? [0] : []), ...(piped.out ? [1] : [])]);
  }

  close(): void {
    for (const close of this.#closers.splice(0)) close();
  }

  async add({ descriptor, kind, target }: Redirection): Promise<void> {
    const text = await expandText(expansionOf(this.#scope), target);
    switch (kind) {
      case 'here':
        this.#read(inputOf(text));
        break;
      case '<':
        this.#read(this.#openInput(text));
        break;
      case '>':
      case '>>':
        this.#write(descriptor, this.#openOutput(text, kind === '>>'));
        break;
      case '&>':
      case '&>>': {
        const output = this.#openOutput(text, kind === '&>>');
        this.#write(1, output);
        this.#write(2, output);
        break;
      }
      case '>&':
        this.#set(descriptor, this.#copyOf(text));
        break;
      case '<&':
        if (text === '-') this.streams.stdin = inputOf('');
        else if (text !== '0') throw new CommandFailure(`${text}: bad file descriptor`);
        break;
    }
  }

  #read(input: InputStream): void {
    const both = this.#scope.state.flavour.multios && this.#taken.has(0);
    this.streams.stdin = both ? concatenated([this.streams.stdin, input]) : input;
    this.#taken.add(0);
  }

  #write(descriptor: number, output: OutputStream): void {
    const before = this.#copyOf(String(descriptor));
    const both = this.#scope.state.flavour.multios && this.#taken.has(descriptor);
    this.#set(descriptor, both ? teeOf(before, output) : output);
    this.#taken.add(descriptor);
  }

  #set(descriptor: number, output: OutputStream): void {
    if (descriptor === 2) this.streams.err = output;
    else this.streams.out = output;
  }

  #copyOf(descriptor: string): OutputStream {
    if (descriptor === '1') return this.streams.out;
    if (descriptor === '2') return this.streams.err;
    if (descriptor === '-') return nowhere;
    throw new CommandFailure(`${descriptor}: bad file descriptor`);
  }

  #openInput(path: string): InputStream {
    const { state } = this.#scope;
    if (path === '/dev/stdin') return this.streams.stdin;
    try {
      return inputOf(state.mac.files.read(state.user, absolute(state, path)));
    } catch (error) {
      throw fileFailure(state, path, error);
    }
  }

  #openOutput(path: string, append: boolean): OutputStream {
    const { state } = this.#scope;
    if (path === '/dev/null') return nowhere;
    if (path === '/dev/stdout') return this.streams.out;
    if (path === '/dev/stderr') return this.streams.err;
    try {
      const options = { for: append ? 'appending' : 'writing', mode: 0o666 & ~state.umask } as const;
      const file = state.mac.files.open(state.user, absolute(state, path), options);
      this.#closers.push(() => file.close());
      return { write: content => file.write(content) };
    } catch (error) {
      throw fileFailure(state, path, error);
    }
  }
}

/** Syntax error in a script. `near` is the text a shell quotes in its parse error. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError';
  readonly line: number;
  readonly near: string;
  /** Valid in the real shell, but not modelled here. */
  readonly unmodelled: boolean;

  constructor(line: number, near: string, unmodelled = false) {
    super(`parse error near \`${near}'`);
    this.line = line;
    this.near = near;
    this.unmodelled = unmodelled;
  }
}

/** A here-document whose body starts after the current line. */
interface PendingHereDocument {
  readonly delimiter: string;
  readonly stripTabs: boolean;
  readonly take: (body: string) => void;
}

/** Line number of a position; never past a newline that has not been counted. */
interface LineCount {
  readonly line: number;
  readonly position: number;
}

const stickies = new Map<string, RegExp>();

/** Compiled once: a literal in a function is a new pattern at every call. */
function stickyOf({ source }: RegExp): RegExp {
  const known = stickies.get(source);
  if (known) return known;
  const sticky = new RegExp(source, 'y');
  stickies.set(source, sticky);
  return sticky;
}

/** Character-by-character reader of a script. */
export class ScriptSource {
  readonly text: string;
  position = 0;
  readonly #start: LineCount;
  #counted: LineCount;
  readonly #pending: PendingHereDocument[] = [];

  constructor(text: string, firstLine = 1) {
    this.text = text;
    this.#start = this.#counted = { line: firstLine, position: 0 };
  }

  get line(): number {
    // Read at every command, usually further on, so only newlines since the last read are counted.
    let { line, position } = this.#counted.position <= this.position ? this.#counted : this.#start;
    for (let index = this.text.indexOf('\n', position); index >= 0 && index < this.position; ) {
      line += 1;
      position = index + 1;
      index = this.text.indexOf('\n', position);
    }
    this.#counted = { line, position };
    return line;
  }

  get done(): boolean {
    return this.position >= this.text.length;
  }

  peek(length = 1): string {
    return this.text.slice(this.position, this.position + length);
  }

  take(length = 1): string {
    const taken = this.peek(length);
    this.position += length;
    return taken;
  }

  starts(text: string): boolean {
    return this.text.startsWith(text, this.position);
  }

  accept(text: string): boolean {
    if (!this.starts(text)) return false;
    this.position += text.length;
    return true;
  }

  match(pattern: RegExp): RegExpExecArray | undefined {
    const sticky = stickyOf(pattern);
    sticky.lastIndex = this.position;
    return sticky.exec(this.text) ?? undefined;
  }

  /** Skips blanks, continued lines and comments, but not newlines. */
  skipBlanks(): void {
    const found = this.match(/(?:[ \t]|\\\n)*(?:#[^\n]*)?/);
    this.position += found?.[0].length ?? 0;
  }

  /** Like skipBlanks, but also skips newlines and reads the here-documents that begin there. */
  skipLines(): void {
    for (this.skipBlanks(); this.peek() === '\n'; this.skipBlanks()) this.newline();
  }

  newline(): void {
    this.take();
    for (let here = this.#pending.shift(); here; here = this.#pending.shift()) here.take(this.#hereBody(here));
  }

  expectHere(here: PendingHereDocument): void {
    this.#pending.push(here);
  }

  /** At the end of the text, a here-document ends without its delimiter, as in real shells. */
  finish(): void {
    for (let here = this.#pending.shift(); here; here = this.#pending.shift()) here.take('');
  }

  fail(near = this.match(/[^\s;&|()<>]+|./)?.[0] ?? '\\n'): never {
    throw new ShellSyntaxError(this.line, near);
  }

  unmodelled(what: string): never {
    throw new ShellSyntaxError(this.line, what, true);
  }

  #hereBody({ delimiter, stripTabs }: PendingHereDocument): string {
    const lines: string[] = [];
    while (!this.done) {
      const end = this.text.indexOf('\n', this.position);
      const raw = this.text.slice(this.position, end < 0 ? undefined : end);
      this.position = end < 0 ? this.text.length : end + 1;
      const line = stripTabs ? raw.replace(/^\t+/, '') : raw;
      if (line === delimiter) break;
      lines.push(line);
    }
    return lines.map(line => `${line}\n`).join('');
  }
}

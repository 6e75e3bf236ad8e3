/** The text of a script cannot be read as one. `near` is what a shell quotes in its parse error. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
  readonly line: number;
  readonly near: string;
  /** Valid in the real shell, but not built here. */
  readonly unmodelled: boolean;

  constructor(line: number, near: string, unmodelled = false) {
    super(`parse error near \`${near}'`);
    this.line = line;
    this.near = near;
    this.unmodelled = unmodelled;
  }
}

/** A here-document whose body starts after the current line. */
export interface PendingHere {
  readonly delimiter: string;
  readonly stripTabs: boolean;
  readonly take: (body: string) => void;
}

/** A script being read, character by character. */
export class Source {
  readonly text: string;
  position = 0;
  readonly #firstLine: number;
  readonly #pending: PendingHere[] = [];

  constructor(text: string, firstLine = 1) {
    this.text = text;
    this.#firstLine = firstLine;
  }

  get line(): number {
    let line = this.#firstLine;
    for (
      let index = this.text.indexOf('\n');
      index >= 0 && index < this.position;
      index = this.text.indexOf('\n', index + 1)
    )
      line += 1;
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
    const sticky = new RegExp(pattern.source, 'y');
    sticky.lastIndex = this.position;
    return sticky.exec(this.text) ?? undefined;
  }

  /** Blanks, continued lines and comments; not newlines. */
  skipBlanks(): void {
    const found = this.match(/(?:[ \t]|\\\n)*(?:#[^\n]*)?/);
    this.position += found?.[0].length ?? 0;
  }

  /** Like skipBlanks, and newlines too, with the here-documents that begin there. */
  skipLines(): void {
    for (this.skipBlanks(); this.peek() === '\n'; this.skipBlanks()) this.newline();
  }

  newline(): void {
    this.take();
    for (let here = this.#pending.shift(); here; here = this.#pending.shift()) here.take(this.#hereBody(here));
  }

  expectHere(here: PendingHere): void {
    this.#pending.push(here);
  }

  /** At the end of the text a here-document ends without its delimiter, as shells let it. */
  finish(): void {
    for (let here = this.#pending.shift(); here; here = this.#pending.shift()) here.take('');
  }

  fail(near = this.match(/[^\s;&|()<>]+|./)?.[0] ?? '\\n'): never {
    throw new ParseError(this.line, near);
  }

  unmodelled(what: string): never {
    throw new ParseError(this.line, what, true);
  }

  #hereBody({ delimiter, stripTabs }: PendingHere): string {
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

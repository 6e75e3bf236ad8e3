/**
 * A value of a property list. Data is a Buffer, a date a Date. A real number that is whole is indistinguishable from an
 * integer.
 */
export type PlistValue =
  | string
  | number
  | boolean
  | Buffer
  | Date
  | readonly PlistValue[]
  | { readonly [key: string]: PlistValue };

export class PlistError extends Error {
  override readonly name = 'PlistError';
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Reads an XML property list. Throws PlistError with plutil's message. */
export function readPlist(text: string): PlistValue {
  const stripped = text.replace(/<!--[\s\S]*?-->/g, '');
  const start = /<plist[^>]*>/.exec(stripped);
  if (!start) throw new PlistError('Unexpected character at line 1');
  const reader = new PlistReader(stripped, start.index + start[0].length);
  const value = reader.value();
  reader.close('plist');
  return value;
}

class PlistReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  value(): PlistValue {
    const tag = this.#take(/\s*<(\w+)\s*(\/?)>/y);
    if (!tag) return this.#fail();
    const [, name = '', empty] = tag;
    if (name === 'true' || name === 'false') return this.#finish(name, empty, name === 'true');
    if (name === 'dict') return this.#dictionary(empty);
    if (name === 'array') return this.#array(empty);
    const text = empty ? '' : this.#characters();
    if (!empty) this.close(name);
    return this.#scalar(name, text);
  }

  close(name: string): void {
    if (!this.#take(new RegExp(`\\s*</${name}>`, 'y'))) this.#fail();
  }

  #finish(name: string, empty: string | undefined, value: boolean): boolean {
    if (!empty) this.close(name);
    return value;
  }

  #scalar(name: string, text: string): PlistValue {
    if (name === 'string') return text;
    if (name === 'integer') return Number.parseInt(text, 10);
    if (name === 'real') return Number(text);
    if (name === 'data') return Buffer.from(text.replace(/\s/g, ''), 'base64');
    if (name === 'date') return new Date(text);
    return this.#fail(`Encountered unknown tag ${name} on line ${this.#line()}`);
  }

  #dictionary(empty: string | undefined): PlistValue {
    const entries: [string, PlistValue][] = [];
    if (empty) return {};
    for (;;) {
      if (this.#take(/\s*<\/dict>/y)) return Object.fromEntries(entries);
      if (!this.#take(/\s*<key>/y)) this.#fail(`Found non-key inside <dict> at line ${this.#line()}`);
      const key = this.#characters();
      this.close('key');
      entries.push([key, this.value()]);
    }
  }

  #array(empty: string | undefined): PlistValue {
    const values: PlistValue[] = [];
    while (!empty && !this.#take(/\s*<\/array>/y)) values.push(this.value());
    return values;
  }

  #characters(): string {
    const found = this.#take(/[^<]*/y)?.[0] ?? '';
    return found.replace(/&(\w+|#\d+);/g, (whole, name: string) =>
      name.startsWith('#') ? String.fromCharCode(Number(name.slice(1))) : (ENTITIES[name] ?? whole),
    );
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return undefined;
    this.#at += found[0].length;
    return found;
  }

  #line(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }

  #fail(message = `Encountered unexpected element at line ${this.#line()} (plutil needs a value here)`): never {
    throw new PlistError(message);
  }
}

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">\n';

/** Writes XML like CoreFoundation: tabs, keys sorted. */
export const writePlist = (value: PlistValue): string => `${HEAD}${element(value, '')}</plist>\n`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function element(value: PlistValue, indent: string): string {
  if (typeof value === 'string') return `${indent}<string>${escaped(value)}</string>\n`;
  if (typeof value === 'number')
    return Number.isInteger(value) ? `${indent}<integer>${value}</integer>\n` : `${indent}<real>${value}</real>\n`;
  if (typeof value === 'boolean') return `${indent}<${value}/>\n`;
  if (Buffer.isBuffer(value)) return `${indent}<data>\n${indent}${value.toString('base64')}\n${indent}</data>\n`;
  if (value instanceof Date) return `${indent}<date>${value.toISOString().replace(/\.\d+Z/, 'Z')}</date>\n`;
  const deeper = `${indent}\t`;
  if (Array.isArray(value)) {
    if (value.length === 0) return `${indent}<array/>\n`;
    return `${indent}<array>\n${value.map(item => element(item, deeper)).join('')}${indent}</array>\n`;
  }
  const entries = Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1));
  if (entries.length === 0) return `${indent}<dict/>\n`;
  return `${indent}<dict>\n${entries.map(([key, item]) => `${deeper}<key>${escaped(key)}</key>\n${element(item, deeper)}`).join('')}${indent}</dict>\n`;
}

export const isDictionary = (value: PlistValue | undefined): value is { readonly [key: string]: PlistValue } =>
  typeof value === 'object' && !Array.isArray(value) && !Buffer.isBuffer(value) && !(value instanceof Date);

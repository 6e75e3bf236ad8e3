/** Reads DER (X.690) as far as a certificate request needs it. Whatever is not exactly as the standard says is refused. */

export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
}

export class DerError extends Error {}

export const TAGS = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  identifier: 0x06,
  utf8: 0x0c,
  printable: 0x13,
  sequence: 0x30,
  set: 0x31,
  /** A constructed part known by its number. */
  numbered: (number: number): number => 0xa0 | number,
  /** A primitive part known by its number. */
  numberedBytes: (number: number): number => 0x80 | number,
} as const;

/** All values that stand one behind the other. */
export function valuesIn(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { value, end } = valueAt(bytes, at);
    values.push(value);
    at = end;
  }
  return values;
}

/** The values inside one that must be of this tag. */
export const inside = (value: DerValue | undefined, tag: number): DerValue[] => valuesIn(contentOf(value, tag));

export function contentOf(value: DerValue | undefined, tag: number): Buffer {
  if (value?.tag !== tag) throw new DerError(`expected the tag ${tag} and found ${value?.tag ?? 'the end'}`);
  return value.content;
}

/** The one value there must be. */
export function only<T>(values: readonly T[]): T {
  const [first] = values;
  if (first === undefined || values.length > 1) throw new DerError(`expected one value and found ${values.length}`);
  return first;
}

function valueAt(bytes: Buffer, at: number): { readonly value: DerValue; readonly end: number } {
  const tag = byteAt(bytes, at);
  // No tag of a request needs more than one byte.
  if ((tag & 0x1f) === 0x1f) throw new DerError('a tag of several bytes');
  const { length, start } = lengthAt(bytes, at + 1);
  const end = start + length;
  if (end > bytes.length) throw new DerError('a value that goes on behind the end');
  return { value: { tag, content: bytes.subarray(start, end) }, end };
}

function lengthAt(bytes: Buffer, at: number): { readonly length: number; readonly start: number } {
  const first = byteAt(bytes, at);
  if (first < 0x80) return { length: first, start: at + 1 };
  const count = first & 0x7f;
  if (count === 0 || count > 3) throw new DerError('a length without end, or beyond all measure');
  const start = at + 1 + count;
  if (start > bytes.length) throw new DerError('a length that is cut off');
  const length = bytes.readUIntBE(at + 1, count);
  // Two ways to write one length would be two requests that read the same.
  const shortest = length < 0x80 ? 0 : Math.ceil((32 - Math.clz32(length)) / 8);
  if (shortest !== count) throw new DerError('a length that is longer than it needs to be');
  return { length, start };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new DerError('the end came too early');
  return byte;
}

/** `2.5.4.3`. Two numbers share the first byte. */
export function dotted(value: DerValue | undefined): string {
  const content = contentOf(value, TAGS.identifier);
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 0x80 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
    }
  }
  const [first = 0, ...rest] = numbers;
  const top = Math.min(Math.floor(first / 40), 2);
  return [top, first - top * 40, ...rest].join('.');
}

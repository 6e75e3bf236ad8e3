/** DER (X.690), as far as certificates and certificate requests need it. */

/** One encoded value: tag, length and content. */
export type Der = Buffer;

/** One decoded value. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
}

export class DerError extends Error {}

export const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  /** Context-specific and constructed, as the attributes of a request. */
  explicit: (number: number): number => 0xa0 | number,
  /** Context-specific and primitive, as the types of alternative names. */
  implicit: (number: number): number => 0x80 | number,
} as const;

function encode(tag: number, ...content: readonly Uint8Array[]): Der {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), encodeLength(body.length), body]);
}

function encodeLength(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...values: readonly Der[]): Der => encode(TAGS.sequence, ...values);
export const set = (...values: readonly Der[]): Der => encode(TAGS.set, ...values);
export const boolean = (value: boolean): Der => encode(TAGS.boolean, Buffer.from([value ? 0xff : 0]));
export const utf8String = (text: string): Der => encode(TAGS.utf8String, Buffer.from(text));
export const octetString = (content: Uint8Array): Der => encode(TAGS.octetString, content);
export const bitString = (content: Uint8Array, unusedBits = 0): Der =>
  encode(TAGS.bitString, Buffer.from([unusedBits]), content);
export const explicit = (number: number, ...values: readonly Der[]): Der => encode(TAGS.explicit(number), ...values);
export const implicit = (number: number, content: Uint8Array): Der => encode(TAGS.implicit(number), content);

/** Encodes unsigned big-endian bytes. A leading zero keeps a number positive whose highest bit is set. */
export function integer(content: Uint8Array): Der {
  const start = content.findIndex(byte => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : content.subarray(start);
  return (digits[0] ?? 0) >= 0x80 ? encode(TAGS.integer, Buffer.from([0]), digits) : encode(TAGS.integer, digits);
}

export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap(number => {
    const groups = [number & 0x7f];
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return encode(TAGS.objectIdentifier, Buffer.from(bytes));
}

/** Encodes a UTCTime, which X.509 requires for dates before 2050. */
export function utcTime(date: Date): Der {
  const text = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return encode(TAGS.utcTime, Buffer.from(text.slice(2)));
}

/** Decodes consecutive values. Throws a DerError for everything that is not exactly as X.690 requires. */
export function decodeAll(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const { value, end } = decodeAt(bytes, offset);
    values.push(value);
    offset = end;
  }
  return values;
}

export const childrenOf = (value: DerValue | undefined, tag: number): DerValue[] => decodeAll(contentOf(value, tag));

export function contentOf(value: DerValue | undefined, tag: number): Buffer {
  if (value?.tag !== tag) throw new DerError(`expected tag ${tag}, found ${value?.tag ?? 'the end of the data'}`);
  return value.content;
}

/** Returns the single element of a list, and throws a DerError for none or several. */
export function only<T>(values: readonly T[]): T {
  const [first] = values;
  if (first === undefined || values.length > 1) throw new DerError(`expected one value, found ${values.length}`);
  return first;
}

function decodeAt(bytes: Buffer, offset: number): { readonly value: DerValue; readonly end: number } {
  const tag = byteAt(bytes, offset);
  // No tag of a certificate request needs more than one byte.
  if ((tag & 0x1f) === 0x1f) throw new DerError('multi-byte tag');
  const { length, start } = decodeLength(bytes, offset + 1);
  const end = start + length;
  if (end > bytes.length) throw new DerError('value exceeds the end of the data');
  return { value: { tag, content: bytes.subarray(start, end) }, end };
}

function decodeLength(bytes: Buffer, offset: number): { readonly length: number; readonly start: number } {
  const first = byteAt(bytes, offset);
  if (first < 0x80) return { length: first, start: offset + 1 };
  const count = first & 0x7f;
  if (count === 0 || count > 3) throw new DerError('indefinite or too large length');
  const start = offset + 1 + count;
  if (start > bytes.length) throw new DerError('truncated length');
  const length = bytes.readUIntBE(offset + 1, count);
  // A second encoding of the same length would allow two byte sequences for one request.
  const shortest = length < 0x80 ? 0 : Math.ceil((32 - Math.clz32(length)) / 8);
  if (shortest !== count) throw new DerError('length is not in its shortest form');
  return { length, start };
}

function byteAt(bytes: Buffer, offset: number): number {
  const byte = bytes[offset];
  if (byte === undefined) throw new DerError('unexpected end of the data');
  return byte;
}

/** Decodes an object identifier to dotted form, such as `2.5.4.3`. Its first byte holds the first two numbers. */
export function dottedIdentifier(value: DerValue | undefined): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of contentOf(value, TAGS.objectIdentifier)) {
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

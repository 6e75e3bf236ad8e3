/** The few DER encodings an X.509 certificate is made of. Node makes keys and signatures; only this wrapping is missing there. */

export type Der = Buffer;

function tagged(tag: number, ...content: readonly Uint8Array[]): Der {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...parts: readonly Der[]): Der => tagged(0x30, ...parts);
export const set = (...parts: readonly Der[]): Der => tagged(0x31, ...parts);
export const boolean = (value: boolean): Der => tagged(0x01, Buffer.from([value ? 0xff : 0]));
export const utf8 = (text: string): Der => tagged(0x0c, Buffer.from(text));
export const octets = (content: Uint8Array): Der => tagged(0x04, content);
export const bits = (content: Uint8Array, unused = 0): Der => tagged(0x03, Buffer.from([unused]), content);

/** A constructed part that X.509 knows by its number, as the version or the extensions. */
export const explicit = (number: number, content: Der): Der => tagged(0xa0 | number, content);
/** A primitive part that X.509 knows by its number, as one kind of alternative name. */
export const implicit = (number: number, content: Uint8Array): Der => tagged(0x80 | number, content);

/** A number given as bytes without a sign: a leading zero keeps it positive. */
export function integer(content: Uint8Array): Der {
  const start = content.findIndex(byte => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : content.subarray(start);
  return (digits[0] ?? 0) >= 0x80 ? tagged(0x02, Buffer.from([0]), digits) : tagged(0x02, digits);
}

export function identifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap(number => {
    const groups = [number & 0x7f];
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return tagged(0x06, Buffer.from(bytes));
}

/** UTCTime, which X.509 wants for dates before 2050. */
export function time(date: Date): Der {
  const text = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return tagged(0x17, Buffer.from(text.slice(2)));
}

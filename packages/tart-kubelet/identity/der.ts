/** The few DER encodings a certificate request is made of. Node makes keys and signatures; only this wrapping is missing there. */

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

export const zero: Der = tagged(0x02, Buffer.from([0]));
export const sequence = (...parts: readonly Der[]): Der => tagged(0x30, ...parts);
export const set = (...parts: readonly Der[]): Der => tagged(0x31, ...parts);
export const utf8 = (text: string): Der => tagged(0x0c, Buffer.from(text));
export const octets = (content: Uint8Array): Der => tagged(0x04, content);
export const bits = (content: Uint8Array): Der => tagged(0x03, Buffer.from([0]), content);

/** A constructed part known by its number, as the attributes of a request. */
export const numbered = (number: number, ...content: readonly Der[]): Der => tagged(0xa0 | number, ...content);
/** A primitive part known by its number, as one kind of alternative name. */
export const numberedBytes = (number: number, content: Uint8Array): Der => tagged(0x80 | number, content);

export function identifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap(number => {
    const groups = [number & 0x7f];
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return tagged(0x06, Buffer.from(bytes));
}

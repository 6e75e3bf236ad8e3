/** The little of protobuf's wire format the guest agent speaks: varints and length-delimited fields. A guest may send anything. */
export interface Field {
  readonly number: number;
  readonly value: number | Buffer;
}

/** Within a oneof a default value must be written too, so nothing is left out here. */
export const field = (number: number, value: number | string | Buffer): Field => ({
  number,
  value: typeof value === 'string' ? Buffer.from(value) : value,
});

export const encode = (fields: readonly Field[]): Buffer =>
  Buffer.concat(
    fields.flatMap(({ number, value }) =>
      typeof value === 'number'
        ? [varint(number * 8), varint(value)]
        : [varint(number * 8 + 2), varint(value.length), value],
    ),
  );

/** Throws on bytes that are no message; fields of other wire types are skipped, as a newer agent may send them. */
export function decode(buffer: Buffer): Field[] {
  const fields: Field[] = [];
  const reader = { buffer, at: 0 };
  while (reader.at < buffer.length) {
    const key = Number(readVarint(reader));
    const number = Math.floor(key / 8);
    // An int32 is sent as 64 bits: -1 takes ten bytes.
    if (key % 8 === 0) fields.push({ number, value: Number(BigInt.asIntN(32, readVarint(reader))) });
    else if (key % 8 === 2) fields.push({ number, value: readBytes(reader, Number(readVarint(reader))) });
    else readBytes(reader, key % 8 === 1 ? 8 : 4);
  }
  return fields;
}

export function numberAt(fields: readonly Field[], number: number): number {
  const value = fields.findLast(each => each.number === number)?.value;
  return typeof value === 'number' ? value : 0;
}

export function bytesAt(fields: readonly Field[], number: number): Buffer | undefined {
  const value = fields.findLast(each => each.number === number)?.value;
  return typeof value === 'number' ? undefined : value;
}

interface Reader {
  readonly buffer: Buffer;
  at: number;
}

function readVarint(reader: Reader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.buffer[reader.at++];
    if (byte === undefined) throw new Error('a message ends in the middle of a number');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw new Error('a number in a message has no end');
}

function readBytes(reader: Reader, length: number): Buffer {
  if (length > reader.buffer.length - reader.at) throw new Error('a message ends in the middle of a field');
  const bytes = reader.buffer.subarray(reader.at, reader.at + length);
  reader.at += length;
  return bytes;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  return Buffer.from([...bytes, left]);
}

/** gRPC's framing in an HTTP/2 stream: a byte for compression, four for the length, then the message. */
const HEADER = 5;
/** The agent sends 4 KiB at a time. A guest that claims more than this is lying, and must not fill our memory. */
const MOST_MESSAGE = 4 * 1024 * 1024;

export function frame(message: Buffer): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** Gives whole messages, however the stream cuts them. */
export async function* messagesIn(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const part of stream) {
    pending = pending.length === 0 ? part : Buffer.concat([pending, part]);
    for (let message = firstIn(pending); message; message = firstIn(pending)) {
      yield message;
      pending = pending.subarray(HEADER + message.length);
    }
  }
}

function firstIn(pending: Buffer): Buffer | undefined {
  if (pending.length < HEADER) return undefined;
  const length = pending.readUInt32BE(1);
  if (pending[0] !== 0 || length > MOST_MESSAGE) throw new Error('the guest sends what is no gRPC message');
  return pending.length < HEADER + length ? undefined : pending.subarray(HEADER, HEADER + length);
}

/** The little of protobuf's wire format the guest agent speaks: varints and length-delimited fields. A guest may send anything. */
interface Field {
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

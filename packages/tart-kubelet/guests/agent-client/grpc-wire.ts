/** gRPC framing in an HTTP/2 stream: one byte for compression, four for the length, then the message. */
const HEADER = 5;
/** The agent sends 4 KiB at a time. A larger claim is bogus and must not fill memory. */
const MAX_MESSAGE = 4 * 1024 * 1024;

export function frame(message: Buffer): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** Yields complete messages, regardless of how the stream splits them. */
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
  if (pending[0] !== 0 || length > MAX_MESSAGE) throw new Error('invalid gRPC message from the guest');
  return pending.length < HEADER + length ? undefined : pending.subarray(HEADER, HEADER + length);
}

/**
 * The subset of protobuf's wire format that the guest agent uses: varints and length-delimited fields. The guest's
 * bytes are untrusted.
 */
interface WireField {
  readonly number: number;
  readonly value: number | Buffer;
}

/** Default values are written, because they are significant within a oneof. */
export const field = (number: number, value: number | string | Buffer): WireField => ({
  number,
  value: typeof value === 'string' ? Buffer.from(value) : value,
});

export const encode = (fields: readonly WireField[]): Buffer =>
  Buffer.concat(
    fields.flatMap(({ number, value }) =>
      typeof value === 'number'
        ? [varint(number * 8), varint(value)]
        : [varint(number * 8 + 2), varint(value.length), value],
    ),
  );

/** Throws on malformed bytes. Fields of other wire types are skipped, because a newer agent may send them. */
export function decode(buffer: Buffer): WireField[] {
  const fields: WireField[] = [];
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

export function numberAt(fields: readonly WireField[], number: number): number {
  const value = fields.findLast(each => each.number === number)?.value;
  return typeof value === 'number' ? value : 0;
}

export function bytesAt(fields: readonly WireField[], number: number): Buffer | undefined {
  const value = fields.findLast(each => each.number === number)?.value;
  return typeof value === 'number' ? undefined : value;
}

interface WireReader {
  readonly buffer: Buffer;
  at: number;
}

function readVarint(reader: WireReader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.buffer[reader.at++];
    if (byte === undefined) throw new Error('protobuf message ends within a varint');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw new Error('protobuf message contains a varint that is too long');
}

function readBytes(reader: WireReader, length: number): Buffer {
  if (length > reader.buffer.length - reader.at) throw new Error('protobuf message ends within a field');
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

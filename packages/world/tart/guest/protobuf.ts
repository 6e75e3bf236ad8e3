/** The part of protobuf's wire format that the guest agent needs: varints and length-delimited fields. */
type ProtobufField = { readonly number: number; readonly value: number | Buffer };

export function encode(fields: readonly (ProtobufField | undefined)[]): Buffer {
  return Buffer.concat(
    fields.flatMap(field => {
      if (!field) return [];
      const { number, value } = field;
      if (typeof value === 'number') return [varint(number * 8), varint(value)];
      return [varint(number * 8 + 2), varint(value.length), value];
    }),
  );
}

/** proto3 omits default values; within a oneof they must be kept. */
export const field = (number: number, value: number | string | Buffer): ProtobufField => ({
  number,
  value: typeof value === 'string' ? Buffer.from(value) : value,
});

export function decode(buffer: Buffer): ProtobufField[] {
  const fields: ProtobufField[] = [];
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let shift = 0; at < buffer.length; shift += 7) {
      const byte = buffer[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < buffer.length) {
    const key = read();
    if (key % 8 === 0) fields.push({ number: key >>> 3, value: read() });
    else if (key % 8 === 2) {
      const length = read();
      fields.push({ number: key >>> 3, value: buffer.subarray(at, at + length) });
      at += length;
    } else throw new Error(`wire type ${key % 8} is not modelled`);
  }
  return fields;
}

export const numberAt = (fields: readonly ProtobufField[], number: number): number => {
  const value = fields.find(each => each.number === number)?.value;
  return typeof value === 'number' ? value : 0;
};

export const bytesAt = (fields: readonly ProtobufField[], number: number): Buffer[] =>
  fields.flatMap(each => (each.number === number && typeof each.value !== 'number' ? [each.value] : []));

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  return Buffer.from([...bytes, left]);
}

/** gRPC's framing of messages in an HTTP/2 stream: a byte for compression, four for the length, then the message. */
const HEADER = 5;

export function frame(message: Buffer): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** Yields complete messages, however the stream is split. */
export async function* messagesIn(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const part of stream) {
    pending = Buffer.concat([pending, part]);
    while (pending.length >= HEADER && pending.length >= HEADER + pending.readUInt32BE(1)) {
      const end = HEADER + pending.readUInt32BE(1);
      yield pending.subarray(HEADER, end);
      pending = pending.subarray(end);
    }
  }
}

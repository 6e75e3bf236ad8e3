/** gRPC's framing of messages in an HTTP/2 stream: a byte for compression, four for the length, then the message. */
const HEADER = 5;

export function frame(message: Buffer): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** Gives whole messages, however the stream cuts them. */
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

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

import type { Socket } from 'node:net';

/** Takes so many bytes at a time from what arrives; rejects when the other side ends before. */
export type TakeBytes = (count: number) => Promise<Buffer>;

export function takeBytes(socket: Socket): TakeBytes {
  const arriving: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  return async count => {
    while (held.length < count) {
      const { value, done } = await arriving.next();
      if (done) throw new Error(`the connection ended ${count - held.length} bytes early`);
      held = Buffer.concat([held, value]);
    }
    const taken = held.subarray(0, count);
    held = held.subarray(count);
    return taken;
  };
}

import type { Readable } from 'node:stream';

/** Exactly so many bytes. What follows them stays in the stream, for whoever reads or pipes it next. */
export async function readBytes(stream: Readable, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = stream.read(count) as Buffer | null;
    if (bytes?.length === count) return bytes;
    // At the end of a stream what is left is given, however little.
    if (bytes || stream.readableEnded || stream.destroyed) throw stream.errored ?? new Error('the connection ended');
    await change(stream);
  }
}

const CHANGES = ['readable', 'end', 'close', 'error'] as const;

function change(stream: Readable): Promise<void> {
  return new Promise(resolve => {
    const changed = (): void => {
      for (const name of CHANGES) stream.off(name, changed);
      resolve();
    };
    for (const name of CHANGES) stream.on(name, changed);
  });
}

/** Header compression: one zlib stream a direction for the whole life of a connection, so every block must pass in its order. */
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { DICTIONARY } from './dictionary.ts';
import { SpdyError } from './spdy-error.ts';

const MOST_BLOCK_BYTES = 256 * 1024;

export interface Codec {
  /** Blocks asked for together come back in the order they were given. */
  convert(block: Buffer): Promise<Buffer>;
  close(): void;
}

export const createCompressor = (): Codec => createCodec(createDeflate({ dictionary: DICTIONARY }));
export const createDecompressor = (): Codec => createCodec(createInflate({ dictionary: DICTIONARY }));

function createCodec(zlib: Deflate | Inflate): Codec {
  let parts: Buffer[] = [];
  let length = 0;
  let before: Promise<unknown> = Promise.resolve();
  let failure: Error | undefined;
  zlib.on('data', (part: Buffer) => {
    length += part.length;
    // A few bytes can stand for gigabytes: the block is refused before they are all there.
    if (length > MOST_BLOCK_BYTES) zlib.destroy(new SpdyError('a header block is too long'));
    else parts.push(part);
  });
  zlib.on('error', error => {
    failure = error;
  });

  const pass = (block: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const refuse = (): void => reject(new SpdyError('header compression failed', { cause: failure }));
      if (zlib.destroyed) return refuse();
      zlib.once('close', refuse);
      zlib.write(block);
      zlib.flush(constants.Z_SYNC_FLUSH, () => {
        // What zlib has pushed may still wait in its buffer for the next tick: reading hands it to the listener above.
        while (zlib.read() !== null);
        zlib.off('close', refuse);
        if (zlib.destroyed) return refuse();
        const result = Buffer.concat(parts);
        parts = [];
        length = 0;
        resolve(result);
      });
    });

  return {
    convert(block) {
      const result = before.then(() => pass(block));
      before = result.catch(() => undefined);
      return result;
    },
    close: () => void zlib.destroy(),
  };
}

/** Header compression: one zlib stream per direction for the whole connection, so blocks must pass in order. */
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { SpdyError } from './frame.ts';

/** The preset dictionary of SPDY/3 header compression, section 2.6.10.1 of its specification: 1,423 bytes, Adler-32 e3c6a7c2. */
const WORDS = `options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow
authorization cache-control connection content-base content-encoding content-language content-length content-location
content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range
if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer
retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status
200_OK version HTTP/1.1 url public set-cookie keep-alive origin`;

const TAIL = [
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505',
  '203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden',
  '404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable',
  'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT',
  'chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,',
  'publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.',
].join('');

/** Each word of the first part is preceded by its length, as in a header block. */
function withLength(word: string): Buffer {
  const bytes = Buffer.alloc(4 + word.length);
  bytes.writeUInt32BE(word.length);
  bytes.write(word, 4, 'latin1');
  return bytes;
}

export const DICTIONARY: Buffer = Buffer.concat([
  ...WORDS.split(/\s+/).map(word => withLength(word.replace('_', ' '))),
  Buffer.from(TAIL, 'latin1'),
]);

const MAX_BLOCK_BYTES = 256 * 1024;

interface HeaderCodec {
  /** Concurrent blocks are returned in the order in which they were passed. */
  convert(block: Buffer): Promise<Buffer>;
  close(): void;
}

export const createCompressor = (): HeaderCodec => createCodec(createDeflate({ dictionary: DICTIONARY }));
export const createDecompressor = (): HeaderCodec => createCodec(createInflate({ dictionary: DICTIONARY }));

function createCodec(zlib: Deflate | Inflate): HeaderCodec {
  let parts: Buffer[] = [];
  let length = 0;
  let before: Promise<unknown> = Promise.resolve();
  let failure: Error | undefined;
  zlib.on('data', (part: Buffer) => {
    length += part.length;
    // A few bytes can expand to gigabytes: the block is rejected before it is complete.
    if (length > MAX_BLOCK_BYTES) zlib.destroy(new SpdyError('header block is too long'));
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
        // Output may still be in zlib's buffer until the next tick: reading passes it to the listener above.
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

/** Names and values of a stream, as the bytes that SPDY compresses. */

/** Names are lower-case. Several values of one name are joined by commas. */
export type SpdyHeaders = Readonly<Record<string, string>>;

export function encodeHeaderBlock(headers: SpdyHeaders): Buffer {
  const entries = Object.entries(headers);
  const count = Buffer.alloc(4);
  count.writeUInt32BE(entries.length);
  return Buffer.concat([count, ...entries.flatMap(([name, value]) => [text(name.toLowerCase()), text(value)])]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

export function decodeHeaderBlock(block: Buffer): SpdyHeaders {
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new SpdyError('header block is truncated');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const word = (): string => {
    const length = number();
    if (at + length > block.length) throw new SpdyError('header block is truncated');
    at += length;
    return block.toString('utf8', at - length, at);
  };
  const headers: [string, string][] = [];
  for (let left = number(); left > 0; left -= 1) headers.push([word().toLowerCase(), word().replaceAll('\0', ',')]);
  return Object.fromEntries(headers);
}

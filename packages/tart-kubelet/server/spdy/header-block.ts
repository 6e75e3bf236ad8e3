/** Names and values of a stream, as the bytes that SPDY compresses. */
import { SpdyError } from './spdy-error.ts';

/** Lower-case names. Several values of one name stand with commas between them. */
export type Headers = Readonly<Record<string, string>>;

export function encodeHeaderBlock(headers: Headers): Buffer {
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

export function decodeHeaderBlock(block: Buffer): Headers {
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new SpdyError('a header block is cut off');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const word = (): string => {
    const length = number();
    if (at + length > block.length) throw new SpdyError('a header block is cut off');
    at += length;
    return block.toString('utf8', at - length, at);
  };
  const headers: [string, string][] = [];
  for (let left = number(); left > 0; left -= 1) headers.push([word().toLowerCase(), word().replaceAll('\0', ',')]);
  return Object.fromEntries(headers);
}

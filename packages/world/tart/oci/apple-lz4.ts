/**
 * Apple's LZ4 framing of disk layers: blocks `bv4-` (stored), `bv41` (compressed), and `bv4$` at the end. Only stored
 * blocks are written, which every reader accepts.
 */
const STORED = 'bv4-';
const COMPRESSED = 'bv41';
const END = 'bv4$';

export function encodeAppleLz4(data: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(STORED, 'latin1');
  header.writeUInt32LE(data.length, 4);
  return Buffer.concat([header, data, Buffer.from(END)]);
}

export function decodeAppleLz4(data: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < data.length; ) {
    const magic = data.toString('latin1', at, at + 4);
    if (magic === END) break;
    const size = data.readUInt32LE(at + 4);
    if (magic === STORED) {
      parts.push(data.subarray(at + 8, at + 8 + size));
      at += 8 + size;
    } else if (magic === COMPRESSED) {
      const compressed = data.readUInt32LE(at + 8);
      parts.push(decodeBlock(data.subarray(at + 12, at + 12 + compressed), size));
      at += 12 + compressed;
    } else throw new Error(`unknown LZ4 block type ${JSON.stringify(magic)}`);
  }
  return Buffer.concat(parts);
}

function decodeBlock(source: Buffer, size: number): Buffer {
  const target = Buffer.alloc(size);
  let from = 0;
  let to = 0;
  const length = (nibble: number): number => {
    let total = nibble;
    if (nibble === 15) for (let byte = 255; byte === 255; total += byte) byte = source[from++] ?? 0;
    return total;
  };
  while (from < source.length) {
    const token = source[from++] ?? 0;
    const literals = length(token >> 4);
    to += source.copy(target, to, from, from + literals);
    from += literals;
    if (from >= source.length) break;
    const distance = source.readUInt16LE(from);
    from += 2;
    for (let left = length(token & 15) + 4; left > 0; left--, to++) target[to] = target[to - distance] ?? 0;
  }
  return target;
}

/** What goes over the socket between a real process and its Mac: a letter, a length, and that many bytes. */

/** Call, Input, End of input; Output, erRor output, eXit code. */
export type FrameKind = 'C' | 'I' | 'E' | 'O' | 'R' | 'X';

export interface Frame {
  readonly kind: string;
  readonly content: Buffer;
}

const HEAD = 5;

export function encodeFrame(kind: FrameKind, content: Buffer | string): Buffer {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const head = Buffer.alloc(HEAD);
  head.write(kind, 'latin1');
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** Cuts a stream into frames; what is not whole yet is kept. */
export function frameReader(): (chunk: Buffer) => Frame[] {
  let left: Buffer = Buffer.alloc(0);
  return chunk => {
    left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    const frames: Frame[] = [];
    while (left.length >= HEAD) {
      const end = HEAD + left.readUInt32BE(1);
      if (left.length < end) break;
      frames.push({ kind: left.toString('latin1', 0, 1), content: left.subarray(HEAD, end) });
      left = left.subarray(end);
    }
    return frames;
  };
}

/** What a real process asks for. */
export interface Call {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** How many words, the words, the directory, the variables: NUL between them, which none can hold. */
export function decodeCall(content: Buffer): Call {
  const [count = '0', ...parts] = content.toString().split('\0');
  const words = Number(count);
  const variables = parts
    .slice(words + 1)
    .map(part => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]);
  return { argv: parts.slice(0, words), directory: parts[words] ?? '/', environment: Object.fromEntries(variables) };
}

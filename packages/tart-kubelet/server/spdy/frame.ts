/** Encoding and decoding of SPDY/3.1 frames. */
/** The peer violated the protocol; the connection cannot continue. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}

export const FRAME = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

export const FIN = 0x01;
/** RST_STREAM status for a cancelled stream; the connection itself is fine. */
export const CANCEL = 5;

const HEADER = 8;
/** A header block of a kubelet stream takes some hundred bytes; a larger one would only exhaust memory. */
const MAX_CONTROL_BYTES = 64 * 1024;

export type SpdyFrame =
  /** A chunk of a data frame, passed on as it arrives; `fin` is set on the last chunk. */
  | { readonly kind: 'data'; readonly stream: number; readonly payload: Buffer; readonly fin: boolean }
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly payload: Buffer };

export function encodeControl(type: number, payload: Buffer, flags = 0): Buffer {
  const frame = Buffer.allocUnsafe(HEADER + payload.length);
  frame.writeUInt16BE(0x8003, 0);
  frame.writeUInt16BE(type, 2);
  frame.writeUInt32BE(payload.length, 4);
  frame[4] = flags;
  payload.copy(frame, HEADER);
  return frame;
}

/** The eight bytes before a data frame's payload, which is then written without a copy. */
export function encodeDataHeader(stream: number, length: number, fin: boolean): Buffer {
  const header = Buffer.allocUnsafe(HEADER);
  header.writeUInt32BE(stream, 0);
  header.writeUInt32BE(length, 4);
  header[4] = fin ? FIN : 0;
  return header;
}

/** Consecutive 32-bit numbers: the payload of RST_STREAM, PING and GOAWAY. */
export function encodeNumbers(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number >>> 0, 4 * index);
  return bytes;
}

interface PartialDataFrame {
  readonly stream: number;
  readonly fin: boolean;
  left: number;
}

/** Splits bytes into frames, independent of network packets; a long data frame is never held in memory. */
export function createFrameReader(): (chunk: Buffer) => Generator<SpdyFrame> {
  let rest: Buffer = Buffer.alloc(0);
  let data: PartialDataFrame | undefined;

  function takeData(under: PartialDataFrame): SpdyFrame {
    const payload = rest.subarray(0, under.left);
    rest = rest.subarray(payload.length);
    under.left -= payload.length;
    if (under.left === 0) data = undefined;
    return { kind: 'data', stream: under.stream, payload, fin: under.fin && under.left === 0 };
  }

  function takeControl(length: number): SpdyFrame | undefined {
    if (length > MAX_CONTROL_BYTES) throw new SpdyError(`control frame of ${length} bytes is too long`);
    if (rest.length < HEADER + length) return undefined;
    const frame = rest.subarray(0, HEADER + length);
    rest = rest.subarray(frame.length);
    return { kind: 'control', type: frame.readUInt16BE(2), flags: frame[4] ?? 0, payload: frame.subarray(HEADER) };
  }

  function next(): SpdyFrame | undefined {
    if (data) return rest.length > 0 ? takeData(data) : undefined;
    if (rest.length < HEADER) return undefined;
    const length = rest.readUIntBE(5, 3);
    if ((rest[0] ?? 0) & 0x80) return takeControl(length);
    data = { stream: rest.readUInt32BE(0), fin: ((rest[4] ?? 0) & FIN) !== 0, left: length };
    rest = rest.subarray(HEADER);
    // An empty frame has no chunk to wait for; it only carries its FIN.
    return length === 0 ? takeData(data) : next();
  }

  return function* read(chunk) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let frame = next(); frame; frame = next()) yield frame;
  };
}

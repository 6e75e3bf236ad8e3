import { createHash } from 'node:crypto';

/** Below this size, finding an equal content costs more than keeping another copy. */
const WORTH_SHARING = 64 * 1024;

const known = new Map<string, WeakRef<Buffer>>();
const hashes = new WeakMap<Buffer, string>();
const forget = new FinalizationRegistry<string>(hash => {
  if (!known.get(hash)?.deref()) known.delete(hash);
});

/** SHA-256 in hex. Cached per buffer, because hundreds of Macs hash the same 60 MB binary. */
export function contentHash(content: Buffer): string {
  const before = hashes.get(content);
  if (before) return before;
  const hash = createHash('sha256').update(content).digest('hex');
  if (content.length >= WORTH_SHARING) hashes.set(content, hash);
  return hash;
}

/**
 * Returns one buffer for equal contents, so that a file of every Mac in a fleet is in memory once. Contents are never
 * changed in place.
 */
export function share(content: Buffer): Buffer {
  if (content.length < WORTH_SHARING) return content;
  const hash = contentHash(content);
  const same = known.get(hash)?.deref();
  if (same) return same;
  known.set(hash, new WeakRef(content));
  forget.register(content, hash);
  return content;
}

/**
 * The bytes of one file. Appends are kept as pieces until the first read, so that a long upload is copied once instead
 * of once per chunk.
 */
export class FileContent {
  #pieces: Buffer[];
  #size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#pieces = bytes.length > 0 ? [bytes] : [];
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  replace(bytes: Buffer): void {
    this.#pieces = bytes.length > 0 ? [bytes] : [];
    this.#size = bytes.length;
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#size += bytes.length;
  }

  bytes(): Buffer {
    const [first] = this.#pieces;
    if (this.#pieces.length === 1 && first) return first;
    const whole = share(Buffer.concat(this.#pieces, this.#size));
    this.replace(whole);
    return whole;
  }

  /** Overwrites a range. A gap beyond the end is filled with zeros. */
  overwrite(offset: number, bytes: Buffer): void {
    if (offset === this.#size) {
      this.append(bytes);
      return;
    }
    const whole = Buffer.alloc(Math.max(this.#size, offset + bytes.length));
    this.bytes().copy(whole);
    bytes.copy(whole, offset);
    this.replace(whole);
  }

  /** Called when the last writer closes the file. */
  settle(): void {
    if (this.#pieces.length > 0) this.replace(share(this.bytes()));
  }
}

import { createHash } from 'node:crypto';

const MAGIC = Buffer.from([0xcf, 0xfa, 0xed, 0xfe]);
const HEADER = 32;
const ARM64 = 0x0100000c;
const LC_CODE_SIGNATURE = 0x1d;
/** Marker of codesign's signature in a simulated file. Signing changes the bytes, as in a real file. */
const TRAILER = Buffer.from('\0adhoc:');
const TRAILER_SIZE = TRAILER.length + 40;

/** Builds an executable for tests: a real Mach-O header, with or without the linker's ad-hoc signature, and a body. */
export function machO(body: string, options: { readonly signed?: boolean } = {}): Buffer {
  const signed = options.signed ?? true;
  const header = Buffer.alloc(HEADER + (signed ? 16 : 0));
  MAGIC.copy(header);
  header.writeUInt32LE(ARM64, 4);
  header.writeUInt32LE(2, 12);
  header.writeUInt32LE(signed ? 1 : 0, 16);
  header.writeUInt32LE(signed ? 16 : 0, 20);
  if (signed) {
    header.writeUInt32LE(LC_CODE_SIGNATURE, HEADER);
    header.writeUInt32LE(16, HEADER + 4);
  }
  return Buffer.concat([header, Buffer.from(body)]);
}

/** The kernel checks signatures of binaries, not of scripts. An ELF file is a real agent of this machine. */
export const isBinary = (content: Buffer): boolean =>
  content.subarray(0, 4).equals(MAGIC) || content.toString('latin1', 0, 4) === '\x7fELF';

/** The file of a simulated program contains only its marker and counts as signed by its vendor. */
const isStub = (content: Buffer): boolean => content.subarray(0, 4).equals(MAGIC) && content[4] === 0x20;

export type Signature = 'none' | 'linker' | 'adhoc' | 'vendor';

export function signatureOf(content: Buffer): Signature {
  if (isStub(content)) return 'vendor';
  if (hasTrailer(content)) return 'adhoc';
  if (!content.subarray(0, 4).equals(MAGIC) || content.length < HEADER) return 'linker';
  return loadCommands(content).includes(LC_CODE_SIGNATURE) ? 'linker' : 'none';
}

/** Types of the load commands; empty for an invalid header. */
function loadCommands(content: Buffer): number[] {
  const count = content.readUInt32LE(16);
  const types: number[] = [];
  for (let at = HEADER; types.length < count && at + 8 <= content.length; ) {
    types.push(content.readUInt32LE(at));
    const size = content.readUInt32LE(at + 4);
    if (size < 8) break;
    at += size;
  }
  return types;
}

const hasTrailer = (content: Buffer): boolean =>
  content.length > TRAILER_SIZE && content.subarray(content.length - TRAILER_SIZE, content.length - 40).equals(TRAILER);

const withoutTrailer = (content: Buffer): Buffer =>
  hasTrailer(content) ? content.subarray(0, content.length - TRAILER_SIZE) : content;

/** Adds an ad-hoc signature. Signing the same bytes twice gives the same file. */
export function signed(content: Buffer): Buffer {
  if (isStub(content)) return content;
  const plain = withoutTrailer(content);
  return Buffer.concat([plain, TRAILER, Buffer.from(hashOf(plain))]);
}

const hashes = new WeakMap<Buffer, string>();

/** Returns the hash of the code directory, the key of kernel caches and Local Network grants. */
export function cdhashOf(content: Buffer): string {
  const known = hashes.get(content);
  if (known) return known;
  const hash = hashOf(content);
  hashes.set(content, hash);
  return hash;
}

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex').slice(0, 40);

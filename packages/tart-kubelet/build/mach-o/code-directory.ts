/** The CodeDirectory of a code signature, and the blob around it. All numbers in it are big-endian. */
import { createHash } from 'node:crypto';

export const SUPER_BLOB = 0xfade0cc0;
export const CODE_DIRECTORY = 0xfade0c02;
/** Without identity, made by a linker: what Go and lld write, and `codesign` may replace it without being forced. */
export const ADHOC_LINKER_SIGNED = 0x20002;
export const PAGE_SIZE = 4096;
const PAGE_SIZE_LOG2 = 12;
const HASH_SIZE = 32;
const HASH_SHA256 = 2;
/** The first version that knows the executable segment, which arm64 requires. */
const VERSION = 0x20400;
const DIRECTORY_SIZE = 88;
/** One entry: the count, and type and offset of the directory. */
const SUPER_BLOB_SIZE = 20;
const EXECUTABLE_SEGMENT_IS_MAIN_BINARY = 1n;

export interface CodeDirectoryOptions {
  readonly identifier: string;
  /** All of the file before the signature. */
  readonly code: Buffer;
  readonly executableSegment: { readonly fileOffset: number; readonly fileSize: number };
}

/** How long the signature of so much code is: it has to be known before the code can be hashed. */
export const signatureSize = (codeSize: number, identifier: string): number =>
  SUPER_BLOB_SIZE + directorySize(codeSize, identifier);

const directorySize = (codeSize: number, identifier: string): number =>
  DIRECTORY_SIZE + Buffer.byteLength(identifier) + 1 + Math.ceil(codeSize / PAGE_SIZE) * HASH_SIZE;

export function adhocSignature(options: CodeDirectoryOptions): Buffer {
  const directory = codeDirectory(options);
  const head = Buffer.alloc(SUPER_BLOB_SIZE);
  writeNumbers(head, [SUPER_BLOB, SUPER_BLOB_SIZE + directory.length, 1, 0, SUPER_BLOB_SIZE]);
  return Buffer.concat([head, directory]);
}

function codeDirectory({ identifier, code, executableSegment }: CodeDirectoryOptions): Buffer {
  const length = directorySize(code.length, identifier);
  const directory = Buffer.alloc(length);
  const hashes = DIRECTORY_SIZE + Buffer.byteLength(identifier) + 1;
  const pages = Math.ceil(code.length / PAGE_SIZE);
  writeNumbers(directory, [
    ...[CODE_DIRECTORY, length, VERSION, ADHOC_LINKER_SIGNED],
    ...[hashes, DIRECTORY_SIZE, 0, pages, code.length],
  ]);
  directory.set([HASH_SIZE, HASH_SHA256, 0, PAGE_SIZE_LOG2], 36);
  directory.writeBigUInt64BE(BigInt(executableSegment.fileOffset), 64);
  directory.writeBigUInt64BE(BigInt(executableSegment.fileSize), 72);
  directory.writeBigUInt64BE(EXECUTABLE_SEGMENT_IS_MAIN_BINARY, 80);
  directory.write(identifier, DIRECTORY_SIZE);
  for (let page = 0; page < pages; page++) pageHash(code, page).copy(directory, hashes + page * HASH_SIZE);
  return directory;
}

/** The last page is hashed as far as the code goes. */
const pageHash = (code: Buffer, page: number): Buffer =>
  createHash('sha256')
    .update(code.subarray(page * PAGE_SIZE, (page + 1) * PAGE_SIZE))
    .digest();

function writeNumbers(target: Buffer, numbers: readonly number[]): void {
  for (const [index, number] of numbers.entries()) target.writeUInt32BE(number, index * 4);
}

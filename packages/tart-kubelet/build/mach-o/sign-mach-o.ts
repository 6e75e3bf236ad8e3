import { createHash } from 'node:crypto';
import { dataOf, findCommand, findSegment, LC_CODE_SIGNATURE, type MachO, readMachO } from './read-mach-o.ts';

/** arm64 maps segments in pages of this size, whatever the size of the hashed pages. */
const MAPPED_PAGE = 0x4000;
const COMMAND_SIZE = 16;

/**
 * Adds an ad-hoc signature: arm64 macOS kills unsigned programs, and embedding a program removes the existing
 * signature. An older signature is replaced, so signing is idempotent.
 */
export function signMachO(file: Buffer, identifier: string): Buffer {
  const machO = readMachO(file);
  const codeEnd = endOfCode(file, machO);
  const start = aligned(codeEnd, 16);
  const size = aligned(signatureSize(start, identifier), 16);
  const signed = Buffer.alloc(start + size);
  file.copy(signed, 0, 0, codeEnd);
  writeCommand(signed, machO, { start, size });
  // Signs last, because the header written above is hashed as well.
  const executableSegment = findSegment(machO, '__TEXT');
  adhocSignature({ identifier, code: signed.subarray(0, start), executableSegment }).copy(signed, start);
  return signed;
}

function endOfCode(file: Buffer, machO: MachO): number {
  const command = findCommand(machO, LC_CODE_SIGNATURE);
  if (command) return dataOf(file, command).offset;
  const linkEdit = findSegment(machO, '__LINKEDIT');
  const end = linkEdit.fileOffset + linkEdit.fileSize;
  if (end !== file.length) throw new Error(`__LINKEDIT ends at ${end}, but the file at ${file.length}`);
  return end;
}

function writeCommand(
  file: Buffer,
  machO: MachO,
  { start, size }: { readonly start: number; readonly size: number },
): void {
  const offset = findCommand(machO, LC_CODE_SIGNATURE)?.offset ?? addCommand(file, machO);
  file.writeUInt32LE(LC_CODE_SIGNATURE, offset);
  file.writeUInt32LE(COMMAND_SIZE, offset + 4);
  file.writeUInt32LE(start, offset + 8);
  file.writeUInt32LE(size, offset + 12);
  // The signature is the end of __LINKEDIT: a segment that ends before it would leave it unmapped.
  const linkEdit = findSegment(machO, '__LINKEDIT');
  const fileSize = start + size - linkEdit.fileOffset;
  file.writeBigUInt64LE(BigInt(aligned(fileSize, MAPPED_PAGE)), linkEdit.offset + 32);
  file.writeBigUInt64LE(BigInt(fileSize), linkEdit.offset + 48);
}

/** Adds one more command behind the last, without overwriting the first section's bytes. */
function addCommand(file: Buffer, { commands, segments, headerEnd }: MachO): number {
  const room = Math.min(...segments.flatMap(({ sections }) => sections));
  if (headerEnd + COMMAND_SIZE > room) throw new Error('the Mach-O header has no space for a code signature command');
  file.writeUInt32LE(commands.length + 1, 16);
  file.writeUInt32LE(headerEnd - 32 + COMMAND_SIZE, 20);
  return headerEnd;
}

const aligned = (value: number, to: number): number => Math.ceil(value / to) * to;

/** The CodeDirectory of a code signature, and the blob around it. All numbers are big-endian. */

const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
/** Ad-hoc and linker-signed, as written by Go and lld; `codesign` replaces it without --force. */
const ADHOC_LINKER_SIGNED = 0x20002;
const PAGE_SIZE = 4096;
const PAGE_SIZE_LOG2 = 12;
const HASH_SIZE = 32;
const HASH_SHA256 = 2;
/** First version with the executable segment, which arm64 requires. */
const VERSION = 0x20400;
const DIRECTORY_SIZE = 88;
/** One entry: the count, and type and offset of the directory. */
const SUPER_BLOB_SIZE = 20;
const EXECUTABLE_SEGMENT_IS_MAIN_BINARY = 1n;

interface CodeDirectoryOptions {
  readonly identifier: string;
  /** All of the file before the signature. */
  readonly code: Buffer;
  readonly executableSegment: { readonly fileOffset: number; readonly fileSize: number };
}

/** Size of the signature for this amount of code, which must be known before the code is hashed. */
const signatureSize = (codeSize: number, identifier: string): number =>
  SUPER_BLOB_SIZE + directorySize(codeSize, identifier);

const directorySize = (codeSize: number, identifier: string): number =>
  DIRECTORY_SIZE + Buffer.byteLength(identifier) + 1 + Math.ceil(codeSize / PAGE_SIZE) * HASH_SIZE;

function adhocSignature(options: CodeDirectoryOptions): Buffer {
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

/** The last page is hashed up to the end of the code. */
const pageHash = (code: Buffer, page: number): Buffer =>
  createHash('sha256')
    .update(code.subarray(page * PAGE_SIZE, (page + 1) * PAGE_SIZE))
    .digest();

function writeNumbers(target: Buffer, numbers: readonly number[]): void {
  for (const [index, number] of numbers.entries()) target.writeUInt32BE(number, index * 4);
}

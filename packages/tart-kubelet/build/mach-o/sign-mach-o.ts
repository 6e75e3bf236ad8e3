import { adhocSignature, signatureSize } from './code-directory.ts';
import { dataOf, findCommand, findSegment, LC_CODE_SIGNATURE, type MachO, readMachO } from './read-mach-o.ts';

/** Segments of arm64 are mapped in pages of this size, whatever the size of the pages that are hashed. */
const MAPPED_PAGE = 0x4000;
const COMMAND_SIZE = 16;

/**
 * The file with an ad-hoc signature: arm64 macOS kills what has none, and injecting a program removes the one that was
 * there. An older signature is replaced, so signing twice gives the same bytes.
 */
export function signMachO(file: Buffer, identifier: string): Buffer {
  const machO = readMachO(file);
  const codeEnd = endOfCode(file, machO);
  const start = aligned(codeEnd, 16);
  const size = aligned(signatureSize(start, identifier), 16);
  const signed = Buffer.alloc(start + size);
  file.copy(signed, 0, 0, codeEnd);
  writeCommand(signed, machO, { start, size });
  // Last, for the header it has just been written to is hashed too.
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
  // The signature is the end of __LINKEDIT: a segment that stops before it would leave it unmapped.
  const linkEdit = findSegment(machO, '__LINKEDIT');
  const fileSize = start + size - linkEdit.fileOffset;
  file.writeBigUInt64LE(BigInt(aligned(fileSize, MAPPED_PAGE)), linkEdit.offset + 32);
  file.writeBigUInt64LE(BigInt(fileSize), linkEdit.offset + 48);
}

/** Room for one more command behind the last; the first section's bytes must not be overwritten. */
function addCommand(file: Buffer, { commands, segments, headerEnd }: MachO): number {
  const room = Math.min(...segments.flatMap(({ sections }) => sections));
  if (headerEnd + COMMAND_SIZE > room) throw new Error('the Mach-O header has no room for a code signature command');
  file.writeUInt32LE(commands.length + 1, 16);
  file.writeUInt32LE(headerEnd - 32 + COMMAND_SIZE, 20);
  return headerEnd;
}

const aligned = (value: number, to: number): number => Math.ceil(value / to) * to;

/** Verifies a signed Mach-O file as the kernel would, without using the signer's code: hashes each page again. */
import { createHash } from 'node:crypto';
import { dataOf, findCommand, findSegment, LC_CODE_SIGNATURE, type MachO, readMachO } from './read-mach-o.ts';

interface MachOVerification {
  readonly identifier: string;
  readonly adhoc: boolean;
  readonly pages: number;
  /** Problems that macOS would reject; empty if there are none. */
  readonly problems: readonly string[];
}

const LC_DYLD_CHAINED_FIXUPS = 0x80000034;
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const ADHOC = 0x2;

export function verifyMachO(file: Buffer): MachOVerification {
  const machO = readMachO(file);
  const fixups = fixupProblems(file, machO);
  const command = findCommand(machO, LC_CODE_SIGNATURE);
  if (!command) return { identifier: '', adhoc: false, pages: 0, problems: ['the file is not signed', ...fixups] };
  const place = dataOf(file, command);
  const at = findDirectory(file, place.offset);
  if (at === undefined)
    return { identifier: '', adhoc: false, pages: 0, problems: ['the signature has no CodeDirectory', ...fixups] };
  const directory = readDirectory(file, at);
  return {
    identifier: directory.identifier,
    adhoc: (directory.flags & ADHOC) !== 0,
    pages: directory.pages,
    problems: [...rangeProblems(file, machO, place), ...pageProblems(file, directory, place.offset), ...fixups],
  };
}

interface SignatureRange {
  readonly offset: number;
  readonly size: number;
}

function rangeProblems(file: Buffer, machO: MachO, { offset, size }: SignatureRange): string[] {
  const linkEdit = findSegment(machO, '__LINKEDIT');
  return [
    ...(offset + size === file.length ? [] : ['the signature is not the end of the file']),
    ...(offset + size === linkEdit.fileOffset + linkEdit.fileSize
      ? []
      : ['the signature is not the end of __LINKEDIT']),
  ];
}

/** Offset of the signature's CodeDirectory; the other blobs are requirements and certificates. */
function findDirectory(file: Buffer, start: number): number | undefined {
  if (file.readUInt32BE(start) !== SUPER_BLOB) return undefined;
  const offsets = Array.from({ length: file.readUInt32BE(start + 8) }, (_, index) =>
    file.readUInt32BE(start + 16 + index * 8),
  );
  return offsets.map(offset => start + offset).find(at => file.readUInt32BE(at) === CODE_DIRECTORY);
}

interface CodeDirectory {
  readonly flags: number;
  readonly identifier: string;
  readonly pages: number;
  readonly pageSize: number;
  readonly codeLimit: number;
  readonly algorithm: string;
  readonly hashSize: number;
  /** File offset of the first page's hash. */
  readonly hashes: number;
}

function readDirectory(file: Buffer, at: number): CodeDirectory {
  const name = at + file.readUInt32BE(at + 20);
  return {
    flags: file.readUInt32BE(at + 12),
    hashes: at + file.readUInt32BE(at + 16),
    identifier: file.toString('latin1', name, file.indexOf(0, name)),
    pages: file.readUInt32BE(at + 28),
    codeLimit: file.readUInt32BE(at + 32),
    hashSize: file.readUInt8(at + 36),
    algorithm: file.readUInt8(at + 37) === 1 ? 'sha1' : 'sha256',
    pageSize: 2 ** file.readUInt8(at + 39),
  };
}

function pageProblems(file: Buffer, directory: CodeDirectory, signatureStart: number): string[] {
  const { pages, pageSize, codeLimit, algorithm, hashSize, hashes } = directory;
  const problems: string[] = [];
  if (codeLimit !== signatureStart)
    problems.push(`${signatureStart - codeLimit} bytes before the signature are not signed`);
  if (pages !== Math.ceil(codeLimit / pageSize)) problems.push(`${pages} pages are signed of ${codeLimit} bytes`);
  let bad = 0;
  for (let page = 0; page < pages; page++) {
    const end = Math.min((page + 1) * pageSize, codeLimit);
    const hash = createHash(algorithm)
      .update(file.subarray(page * pageSize, end))
      .digest()
      .subarray(0, hashSize);
    const at = hashes + page * hashSize;
    if (!hash.equals(file.subarray(at, at + hashSize))) bad += 1;
  }
  return bad === 0 ? problems : [...problems, `${bad} of ${pages} pages do not match their signed hash`];
}

/**
 * dyld counts the segments itself; a tool that adds one without updating this creates a file that newer systems reject
 * (openmtp#468).
 */
function fixupProblems(file: Buffer, machO: MachO): string[] {
  const command = findCommand(machO, LC_DYLD_CHAINED_FIXUPS);
  if (!command) return [];
  const { offset } = dataOf(file, command);
  const counted = file.readUInt32LE(offset + file.readUInt32LE(offset + 4));
  return counted === machO.segments.length
    ? []
    : [`the fixups list ${counted} segments, the file has ${machO.segments.length}`];
}

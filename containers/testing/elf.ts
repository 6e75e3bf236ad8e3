/** Reads the ELF headers of a Linux program, to check without starting it whether a system has what it needs. */
export interface Elf {
  readonly machine: 'amd64' | 'arm64' | 'other';
  /** The loader that the kernel starts; a library has none. */
  readonly interpreter?: string;
  readonly needed: readonly string[];
}

const MACHINES: Readonly<Record<number, Elf['machine']>> = { 62: 'amd64', 183: 'arm64' };
const LOAD = 1;
const DYNAMIC = 2;
const INTERPRETER = 3;
const NEEDED = 1n;
const STRINGS = 5n;

export const isElf = (file: Buffer): boolean => file.subarray(0, 4).equals(Buffer.from('\x7fELF', 'latin1'));

/** Reads a 64-bit little-endian file, the format of both architectures. */
export function readElf(file: Buffer): Elf {
  const segments = segmentsOf(file);
  const interpreter = segments.find(({ type }) => type === INTERPRETER);
  return {
    machine: MACHINES[file.readUInt16LE(18)] ?? 'other',
    ...(interpreter && { interpreter: textAt(file, interpreter.offset) }),
    needed: neededBy(file, segments),
  };
}

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

function segmentsOf(file: Buffer): Segment[] {
  const [start, size, count] = [Number(file.readBigUInt64LE(0x20)), file.readUInt16LE(0x36), file.readUInt16LE(0x38)];
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * size;
    return {
      type: file.readUInt32LE(at),
      offset: Number(file.readBigUInt64LE(at + 8)),
      address: Number(file.readBigUInt64LE(at + 16)),
      size: Number(file.readBigUInt64LE(at + 32)),
    };
  });
}

function neededBy(file: Buffer, segments: readonly Segment[]): string[] {
  const dynamic = segments.find(({ type }) => type === DYNAMIC);
  if (dynamic === undefined) return [];
  const entries = Array.from({ length: dynamic.size / 16 }, (_, index) => {
    const at = dynamic.offset + index * 16;
    return { tag: file.readBigUInt64LE(at), value: Number(file.readBigUInt64LE(at + 8)) };
  });
  const strings = offsetOf(entries.find(({ tag }) => tag === STRINGS)?.value ?? 0, segments);
  return entries.filter(({ tag }) => tag === NEEDED).map(({ value }) => textAt(file, strings + value));
}

/** Returns the file offset of an address. */
function offsetOf(address: number, segments: readonly Segment[]): number {
  const home = segments.find(one => one.type === LOAD && address >= one.address && address < one.address + one.size);
  if (home === undefined) throw new Error(`no part of the file is loaded at ${address}`);
  return address - home.address + home.offset;
}

const textAt = (file: Buffer, offset: number): string => file.toString('latin1', offset, file.indexOf(0, offset));

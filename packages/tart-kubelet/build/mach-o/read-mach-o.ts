/** The parts of a thin 64-bit Mach-O file that a signature depends on. */

interface LoadCommand {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
}

interface MachOSegment {
  readonly name: string;
  /** Offset of its load command. */
  readonly offset: number;
  readonly fileOffset: number;
  readonly fileSize: number;
  /** File offset of each section; empty sections are left out. */
  readonly sections: readonly number[];
}

export interface MachO {
  readonly commands: readonly LoadCommand[];
  readonly segments: readonly MachOSegment[];
  /** End of the load commands. */
  readonly headerEnd: number;
}

export const LC_CODE_SIGNATURE = 0x1d;
const LC_SEGMENT_64 = 0x19;
const MAGIC_64 = 0xfeedfacf;
const HEADER_SIZE = 32;
const SEGMENT_SIZE = 72;
const SECTION_SIZE = 80;

export function readMachO(file: Buffer): MachO {
  if (file.length < HEADER_SIZE || file.readUInt32LE(0) !== MAGIC_64) throw new Error('not a thin 64-bit Mach-O file');
  const commands = readCommands(file);
  return {
    commands,
    segments: commands.filter(({ type }) => type === LC_SEGMENT_64).map(({ offset }) => readSegment(file, offset)),
    headerEnd: HEADER_SIZE + file.readUInt32LE(20),
  };
}

export function findSegment({ segments }: MachO, name: string): MachOSegment {
  const segment = segments.find(one => one.name === name);
  if (!segment) throw new Error(`the Mach-O file has no segment ${name}`);
  return segment;
}

export const findCommand = ({ commands }: MachO, type: number): LoadCommand | undefined =>
  commands.find(command => command.type === type);

/** Offset and size of the data of a `linkedit_data_command`. */
export const dataOf = (file: Buffer, { offset }: LoadCommand): { readonly offset: number; readonly size: number } => ({
  offset: file.readUInt32LE(offset + 8),
  size: file.readUInt32LE(offset + 12),
});

function readCommands(file: Buffer): LoadCommand[] {
  const commands: LoadCommand[] = [];
  let offset = HEADER_SIZE;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const size = file.readUInt32LE(offset + 4);
    if (size < 8) throw new Error(`the Mach-O file has a load command of ${size} bytes at ${offset}`);
    commands.push({ type: file.readUInt32LE(offset), offset, size });
    offset += size;
  }
  return commands;
}

function readSegment(file: Buffer, offset: number): MachOSegment {
  const count = file.readUInt32LE(offset + 64);
  const sections = Array.from({ length: count }, (_, index) =>
    file.readUInt32LE(offset + SEGMENT_SIZE + index * SECTION_SIZE + 48),
  );
  return {
    name: file.toString('latin1', offset + 8, offset + 24).replace(/\0+$/, ''),
    offset,
    fileOffset: Number(file.readBigUInt64LE(offset + 40)),
    fileSize: Number(file.readBigUInt64LE(offset + 48)),
    sections: sections.filter(start => start > 0),
  };
}

/** A Mach-O file with a text segment, an optional fixup table and a __LINKEDIT, small enough to read. */
interface SmallMachO {
  readonly body?: string;
  /** Free bytes between the load commands and the first section. */
  readonly room?: number;
  /** Number of segments that the fixups list. */
  readonly fixupSegments?: number;
}

const COMMANDS = 72 + 80 + 72 + 16;

export function smallMachO({ body = 'code'.repeat(3000), room = 64, fixupSegments = 2 }: SmallMachO = {}): Buffer {
  const text = 32 + COMMANDS + room;
  const linkEdit = text + body.length;
  const fixups = Buffer.alloc(12);
  fixups.writeUInt32LE(8, 4);
  fixups.writeUInt32LE(fixupSegments, 8);
  const header = Buffer.alloc(text);
  for (const [index, value] of [0xfeedfacf, 0x0100000c, 0, 2, 3, COMMANDS].entries())
    header.writeUInt32LE(value, index * 4);
  writeSegment(header, 32, { name: '__TEXT', fileOffset: 0, fileSize: linkEdit, section: text });
  writeSegment(header, 32 + 152, { name: '__LINKEDIT', fileOffset: linkEdit, fileSize: fixups.length });
  for (const [index, value] of [0x80000034, 16, linkEdit, fixups.length].entries())
    header.writeUInt32LE(value, 32 + 152 + 72 + index * 4);
  return Buffer.concat([header, Buffer.from(body), fixups]);
}

interface SegmentOptions {
  readonly name: string;
  readonly fileOffset: number;
  readonly fileSize: number;
  readonly section?: number;
}

function writeSegment(header: Buffer, at: number, { name, fileOffset, fileSize, section }: SegmentOptions): void {
  header.writeUInt32LE(0x19, at);
  header.writeUInt32LE(section === undefined ? 72 : 152, at + 4);
  header.write(name, at + 8, 'latin1');
  header.writeBigUInt64LE(BigInt(fileOffset), at + 40);
  header.writeBigUInt64LE(BigInt(fileSize), at + 48);
  header.writeUInt32LE(section === undefined ? 0 : 1, at + 64);
  if (section !== undefined) header.writeUInt32LE(section, at + 72 + 48);
}

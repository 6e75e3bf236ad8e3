/** One member of an archive. */
export interface TarEntry {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'link';
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  readonly content: Buffer;
  readonly target: string;
}

const BLOCK = 512;
const TYPES = { '0': 'file', '\0': 'file', '5': 'directory', '2': 'link' } as const;

const text = (block: Buffer, start: number, length: number): string => {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString();
};

const octal = (block: Buffer, start: number, length: number): number =>
  Number.parseInt(text(block, start, length).trim() || '0', 8);

/** Reads ustar with GNU's and pax's long names; other member types are skipped. Undefined if it is not an archive. */
export function readTar(archive: Buffer): TarEntry[] | undefined {
  const entries: TarEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header[0] === 0) break;
    if (!isHeader(header)) return undefined;
    const size = octal(header, 124, 12);
    const content = archive.subarray(at + BLOCK, at + BLOCK + size);
    const kind = String.fromCharCode(header[156] ?? 0);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (kind === 'L') longName = content.toString().replace(/\0+$/, '');
    else if (kind === 'x') longName = /\d+ path=([^\n]*)\n/.exec(content.toString())?.[1] ?? longName;
    else {
      const type = TYPES[kind as keyof typeof TYPES];
      if (type) entries.push(entryOf(header, { type, content, longName }));
      longName = undefined;
    }
  }
  return entries;
}

function entryOf(
  header: Buffer,
  { type, content, longName }: Pick<TarEntry, 'type' | 'content'> & { readonly longName: string | undefined },
): TarEntry {
  const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : '';
  const name = text(header, 0, 100);
  return {
    path: longName ?? (prefix ? `${prefix}/${name}` : name),
    type,
    mode: octal(header, 100, 8),
    uid: octal(header, 108, 8),
    gid: octal(header, 116, 8),
    modified: octal(header, 136, 12) * 1_000,
    content,
    target: text(header, 157, 100),
  };
}

function isHeader(header: Buffer): boolean {
  return checksum(header) === octal(header, 148, 8);
}

/** Sum of all bytes, with the checksum field as blanks. */
const checksum = (header: Buffer): number =>
  header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);

const KINDS = { file: '0', directory: '5', link: '2' } as const;

export function writeTar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(entry => {
    const padding = Buffer.alloc((BLOCK - (entry.content.length % BLOCK)) % BLOCK);
    const long =
      Buffer.byteLength(entry.path) > 100
        ? [
            headerOf({ ...entry, path: '././@LongLink', content: Buffer.from(`${entry.path}\0`) }, 'L'),
            padded(`${entry.path}\0`),
          ]
        : [];
    return [...long, headerOf(entry, KINDS[entry.type]), entry.content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

const padded = (content: string): Buffer => {
  const bytes = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / BLOCK) * BLOCK);
  bytes.write(content);
  return bytes;
};

function headerOf(entry: TarEntry, kind: string): Buffer {
  const header = Buffer.alloc(BLOCK);
  const number = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(entry.path.slice(0, 100), 0);
  header.write(number(entry.mode, 8), 100);
  header.write(number(entry.uid, 8), 108);
  header.write(number(entry.gid, 8), 116);
  header.write(number(entry.content.length, 12), 124);
  header.write(number(Math.floor(entry.modified / 1_000), 12), 136);
  header.write(kind, 156);
  header.write(entry.target.slice(0, 100), 157);
  header.write('ustar\u000000', 257);
  header.write(number(checksum(header), 7), 148);
  header.write(' ', 155);
  return header;
}

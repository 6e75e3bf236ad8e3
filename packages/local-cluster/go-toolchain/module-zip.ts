/** Reads the zip file of a Go module without an external program: lists, hashes and extracts its files. */
import { createHash } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';

export type ZipEntry = {
  /** `golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64/bin/go`. */
  readonly name: string;
  readonly content: () => Buffer;
};

const END_SIGNATURE = 0x06054b50;
const END_LENGTH = 22;
const DIRECTORY_SIGNATURE = 0x02014b50;
const DIRECTORY_LENGTH = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_LENGTH = 30;
const MAX_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;

/** Lists the entries of a zip file. Module zips are under 500 MB by Go's rules, so zip64 does not occur. */
export function readZip(zip: Buffer): ZipEntry[] {
  const end = findEnd(zip);
  const count = zip.readUInt16LE(end + 10);
  const entries: ZipEntry[] = [];
  let offset = zip.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (offset + DIRECTORY_LENGTH > end || zip.readUInt32LE(offset) !== DIRECTORY_SIGNATURE) throw damaged();
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map(field => zip.readUInt16LE(offset + field));
    const nameEnd = offset + DIRECTORY_LENGTH + (nameLength ?? 0);
    const location = {
      method: zip.readUInt16LE(offset + 10),
      compressedSize: zip.readUInt32LE(offset + 20),
      size: zip.readUInt32LE(offset + 24),
      offset: zip.readUInt32LE(offset + 42),
    };
    const name = zip.toString('utf8', offset + DIRECTORY_LENGTH, nameEnd);
    entries.push({ name, content: () => readContent(zip, location) });
    offset = nameEnd + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return entries;
}

function findEnd(zip: Buffer): number {
  const first = Math.max(0, zip.length - END_LENGTH - MAX_COMMENT);
  for (let offset = zip.length - END_LENGTH; offset >= first; offset -= 1) {
    if (zip.readUInt32LE(offset) === END_SIGNATURE) return offset;
  }
  throw damaged();
}

type Location = { method: number; compressedSize: number; size: number; offset: number };

function readContent(zip: Buffer, { method, compressedSize, size, offset }: Location): Buffer {
  if (offset + LOCAL_LENGTH > zip.length || zip.readUInt32LE(offset) !== LOCAL_SIGNATURE) throw damaged();
  const start = offset + LOCAL_LENGTH + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
  const data = zip.subarray(start, start + compressedSize);
  if (method !== STORED && method !== DEFLATED) throw damaged();
  const content = method === STORED ? data : inflateRawSync(data, { maxOutputLength: Math.max(size, 1) });
  if (content.length !== size) throw damaged();
  return content;
}

const damaged = (): Error => new Error('the zip file is damaged or incomplete');

/**
 * Computes the `h1:` hash of a module zip as go.sum and the checksum database have it: SHA-256 over one line
 * "sha256-of-file  name" for each file, sorted by name (Hash1 in golang.org/x/mod/sumdb/dirhash).
 */
export function hashZip(entries: readonly ZipEntry[]): string {
  const summary = createHash('sha256');
  for (const { name, content } of entries.toSorted((one, other) =>
    Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)),
  )) {
    summary.update(`${createHash('sha256').update(content()).digest('hex')}  ${name}\n`);
  }
  return `h1:${summary.digest('base64')}`;
}

/** Zip files of modules carry no modes. Go itself sets these two when it unpacks a toolchain. */
const EXECUTABLE = /^(bin|pkg\/tool\/[^/]+)\/[^/]+$/;

/** Extracts the files under `prefix` into `folder`. A name that leads out of the folder is an error. */
export async function extractZip(entries: readonly ZipEntry[], prefix: string, folder: string): Promise<void> {
  const made = new Set<string>();
  for (const { name, content } of entries) {
    const relative = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
    const file = path.join(folder, relative ?? '');
    if (relative === undefined || relative.includes('\\') || !file.startsWith(folder + path.sep))
      throw new Error(`the zip file has an entry outside its module: ${name}`);
    const directory = path.dirname(file);
    if (!made.has(directory)) await mkdir(directory, { recursive: true });
    made.add(directory);
    await writeFile(file, content());
    if (EXECUTABLE.test(relative)) await chmod(file, 0o755);
  }
}

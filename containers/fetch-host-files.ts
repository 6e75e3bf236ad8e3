import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes } from '@minifleet/clock';
import type { PinnedFile } from '@minifleet/spec-file';

export interface HostFilesOptions {
  /** Folder or URL that has the files by name (default: the download of each project). */
  readonly from?: string | undefined;
  /** Folder that keeps downloaded files. */
  readonly cache: string;
  readonly say: (detail: string) => void;
}

/** Content of each file. Nothing is used whose SHA-256 differs from the pinned one. */
export async function fetchHostFiles(
  pinned: readonly PinnedFile[],
  options: HostFilesOptions,
): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const pin of pinned) files.set(pin.file, await fetchHostFile(pin, options));
  return files;
}

async function fetchHostFile(pin: PinnedFile, { from, cache, say }: HostFilesOptions): Promise<Buffer> {
  const cached = join(cache, `${pin.sha256}-${pin.file}`);
  const known = await readFile(cached).catch(() => undefined);
  if (known && sha256(known) === pin.sha256) return known;
  const place = placeOf(pin, from);
  say(`${pin.name} ${pin.version} from ${place}`);
  const content = await contentAt(place).catch((error: unknown) => {
    throw new Error(unavailable(pin, place, error));
  });
  const actual = sha256(content);
  if (actual !== pin.sha256)
    throw new Error(
      `${place} has the SHA-256 ${actual}, but ${pin.sha256} is published for ${pin.name} ${pin.version} (${pin.published}). Do not use this file; download it from ${pin.url}`,
    );
  await mkdir(cache, { recursive: true });
  // A killed build must not leave half a file under the final name.
  await writeFile(`${cached}.partial`, content);
  await rename(`${cached}.partial`, cached);
  return content;
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

const isUrl = (place: string): boolean => /^https?:\/\//.test(place);

function placeOf({ url, file }: PinnedFile, from: string | undefined): string {
  if (from === undefined) return url;
  return isUrl(from) ? `${from.replace(/\/$/, '')}/${file}` : join(from, file);
}

const DOWNLOAD_TIMEOUT = minutes(10);

async function contentAt(place: string): Promise<Buffer> {
  if (!isUrl(place)) return readFile(place);
  const response = await fetch(place, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT) });
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function unavailable({ name, version, url, file, sha256: hash }: PinnedFile, place: string, error: unknown): string {
  const { message, cause } = error as Error;
  const why = cause instanceof Error && 'code' in cause ? String(cause.code) : message;
  return [
    `${place} is not available (${why}). The image of the provider needs ${name} ${version}:`,
    `  curl -fLo files/${file} ${url}`,
    `  echo '${hash}  files/${file}' | sha256sum -c`,
    '  node scripts/build-containers.ts --host-files files',
    '--host-files may also be the URL of a mirror. With --without-host-files, the image has only the agent, and provider.hosts must name files of a volume (provider.artifacts).',
  ].join('\n');
}

/** Official releases, used only if their published SHA-256 matches. An unreachable host is requested only once. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../environment.ts';
import type { BinaryCache } from './binary-cache.ts';
import type { Program } from './program.ts';
import { type Release, releaseOf } from './release.ts';
import type { BinarySource } from './source.ts';

type OfficialDownloadOptions = {
  environment: Pick<Environment, 'os' | 'arch'>;
  cache: Pick<BinaryCache, 'store'>;
  /** Replaced in tests. */
  fetch?: typeof globalThis.fetch;
};

const PROBE_TIMEOUT = 3_000;
const DOWNLOAD_TIMEOUT = 10 * 60_000;
const EXPECTED_SECONDS = 5;

export function officialDownload(options: OfficialDownloadOptions): BinarySource {
  const { environment, cache, fetch = globalThis.fetch } = options;
  const unreachable = new Map<string, string>();
  /** The checksum is requested first: it is small, and without it nothing is downloaded. */
  const probe = async (release: Release, host: string) => {
    try {
      return await readChecksum(release, fetch);
    } catch (error) {
      if (isNetworkFailure(error)) unreachable.set(host, reasonOf(error));
      return unreachableHost(host, reasonOf(error));
    }
  };
  return {
    origin: 'downloaded from the official release',
    expectedSeconds(program) {
      const release = releaseOf(program, environment);
      return 'passedOver' in release || unreachable.has(new URL(release.url).host) ? undefined : EXPECTED_SECONDS;
    },
    async find(program, { step }) {
      const release = releaseOf(program, environment);
      if ('passedOver' in release) return release;
      const { host } = new URL(release.url);
      const known = unreachable.get(host);
      if (known !== undefined) return unreachableHost(host, known);
      step.update(`reading the checksum from ${host}`);
      const checksum = await probe(release, host);
      if (typeof checksum !== 'string') return checksum;
      step.update(`downloading from ${host}`);
      return download(program, release, { checksum, fetch, cache });
    },
  };
}

/** Constant text, so that it is shown once for all programs of the host. */
const unreachableHost = (host: string, why: string) => ({ passedOver: `${host} is unreachable (${why})` });

type DownloadContext = { checksum: string; fetch: typeof globalThis.fetch; cache: Pick<BinaryCache, 'store'> };

async function download(program: Program, release: Release, { checksum, fetch, cache }: DownloadContext) {
  try {
    const response = await fetch(release.url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT) });
    if (!response.ok) return { passedOver: `${release.url} answers ${response.status}` };
    const content = Buffer.from(await response.arrayBuffer());
    const actual = createHash('sha256').update(content).digest('hex');
    if (actual !== checksum) return { passedOver: `${release.url} has checksum ${actual}, published is ${checksum}` };
    const { member } = release;
    const file = await cache.store(program, async beside => {
      if (member === undefined) await writeFile(beside, content);
      else await extractFile({ archive: content, member, to: beside });
    });
    return { path: file };
  } catch (error) {
    return { passedOver: `${release.url}: ${reasonOf(error)}` };
  }
}

async function readChecksum(release: Release, fetch: typeof globalThis.fetch) {
  const response = await fetch(release.checksumUrl, { signal: AbortSignal.timeout(PROBE_TIMEOUT) });
  if (!response.ok) return { passedOver: `${release.checksumUrl} answers ${response.status}` };
  const checksum = release.checksumIn(await response.text());
  return checksum ?? { passedOver: `${release.checksumUrl} publishes no SHA-256 for it` };
}

function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
}

/** Includes the cause, because fetch itself only reports "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.message;
}

type ExtractOptions = { archive: Uint8Array; member: string; to: string };

/** Extracts one file of a release archive with the system's tar. */
async function extractFile({ archive, member, to }: ExtractOptions): Promise<void> {
  // Next to the target, so that the last step is a rename within one file system.
  const directory = await mkdtemp(`${to}.`);
  try {
    const file = path.join(directory, 'archive');
    await writeFile(file, archive);
    await promisify(execFile)('tar', ['-xf', file, '-C', directory, member]);
    await rename(path.join(directory, member), to);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

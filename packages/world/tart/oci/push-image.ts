import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { milliseconds, pause, seconds, timestamp } from '@minifleet/clock';
import {
  CONFIG_TYPE,
  type Descriptor,
  DISK_FORMAT,
  DISK_SIZE,
  DISK_TYPE,
  type ImageManifest,
  MANIFEST_TYPE,
  NVRAM_TYPE,
  SIMULATED_SIZE,
  UNCOMPRESSED_DIGEST,
  UNCOMPRESSED_SIZE,
  UPLOAD_TIME,
  VM_CONFIG_TYPE,
} from '../../oci/image-content.ts';
import { ProgressPrinter } from '../output/progress.ts';
import { type Bundle, readFacts } from '../storage/bundle.ts';
import { formatRemoteName, type RemoteName, referenceOf } from '../storage/image-cache.ts';
import { tryLock } from '../storage/lock.ts';
import { fileDoesNotExist, isRunning, type TartCall } from '../tart-call.ts';
import { encodeAppleLz4 } from './apple-lz4.ts';
import { type RegistryClient, repositoryPath } from './registry-client.ts';

const STEPS = 20;
/** Interval at which a held push checks the host file again. */
const LOOK_AGAIN = milliseconds(100);

interface ImagePush {
  readonly call: TartCall;
  readonly client: RegistryClient;
  readonly bundle: Bundle;
  readonly vm: string;
  readonly name: RemoteName;
  readonly labels: Readonly<Record<string, string>>;
}

/** config → disk → NVRAM → manifest, each opened only when its turn comes (S4). */
export async function pushImage(pushing: ImagePush): Promise<void> {
  const { call } = pushing;
  const facts = readFacts(pushing.bundle);
  const config = await pushConfig(pushing);
  call.out('pushing disk... this will take a while...');
  const disk = await pushDisk(pushing, facts.allocatedBytes);
  call.out('pushing NVRAM...');
  const nvram = await pushNvram(pushing);
  const label = { [DISK_FORMAT]: 'raw', ...pushing.labels };
  const ociConfig = Buffer.from(JSON.stringify({ architecture: 'arm64', os: 'darwin', config: { Labels: label } }));
  const manifest: ImageManifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: await pushBlob(pushing, CONFIG_TYPE, ociConfig),
    layers: [config, disk, nvram],
    annotations: { [DISK_SIZE]: `${facts.diskBytes}`, [UPLOAD_TIME]: timestamp(call.around.clock.now()) },
  };
  await pushManifest(pushing, JSON.stringify(manifest));
}

/**
 * The lock is lost again here: POSIX drops it when any descriptor of `config.json` is closed, and reading the file to
 * send it does that. So nothing prevents `tart delete` of the bundle while the disk is pushed (derived; it explains S4,
 * I28).
 */
async function pushConfig(pushing: ImagePush): Promise<Descriptor> {
  const { call, bundle, vm } = pushing;
  const lock = tryLock(bundle.lock);
  if (!lock) throw isRunning(vm);
  call.out('pushing config...');
  const config = readFileSync(bundle.config);
  lock.release();
  await takeTime(call, 'config');
  return pushBlob(pushing, VM_CONFIG_TYPE, config);
}

/** Reads from one descriptor, opened once: the disk is read to its end even if its file has been unlinked. */
async function pushDisk(pushing: ImagePush, standsFor: number): Promise<Descriptor> {
  const { call, bundle } = pushing;
  const disk = openDisk(bundle);
  try {
    const progress = new ProgressPrinter(call, STEPS);
    for (let step = 0; step < STEPS; step++) {
      await takeTime(call, 'disk', STEPS);
      progress.add(1);
    }
    const data = readAll(disk);
    const layer = await pushBlob(pushing, DISK_TYPE, encodeAppleLz4(data));
    const annotations = {
      [UNCOMPRESSED_SIZE]: `${data.length}`,
      [UNCOMPRESSED_DIGEST]: `sha256:${createHash('sha256').update(data).digest('hex')}`,
      [SIMULATED_SIZE]: `${standsFor}`,
    };
    return { ...layer, annotations };
  } finally {
    closeSync(disk);
  }
}

/** Waits for one of the steps of a part. */
async function takeTime(call: TartCall, part: 'config' | 'disk' | 'nvram', steps = 1): Promise<void> {
  const duration = (call.host().push?.[`${part}Seconds`] ?? 0) / steps;
  if (duration > 0) await pause(call.around.clock, seconds(duration));
  while (call.host().push?.holds === part) await pause(call.around.clock, LOOK_AGAIN);
}

function openDisk(bundle: Bundle): number {
  try {
    return openSync(bundle.disk, 'r');
  } catch {
    throw fileDoesNotExist('disk.img');
  }
}

function readAll(descriptor: number): Buffer {
  const parts: Buffer[] = [];
  for (let offset = 0; ; ) {
    const part = Buffer.alloc(65_536);
    const length = readSync(descriptor, part, 0, part.length, offset);
    if (length === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, length));
    offset += length;
  }
}

async function pushNvram(pushing: ImagePush): Promise<Descriptor> {
  const { call, bundle } = pushing;
  let data: Buffer;
  try {
    data = readFileSync(bundle.nvram);
  } catch {
    throw fileDoesNotExist('nvram.bin');
  }
  await takeTime(call, 'nvram');
  return pushBlob(pushing, NVRAM_TYPE, data);
}

async function pushBlob({ client, name }: ImagePush, mediaType: string, data: Buffer): Promise<Descriptor> {
  const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`;
  const when = 'pushing blob';
  const repository = repositoryPath(name);
  const begun = await client.ask({ method: 'POST', path: `${repository}/blobs/uploads/`, when, expect: [202] });
  const location = begun.headers.get('location') ?? '';
  const path = `${location}${location.includes('?') ? '&' : '?'}digest=${digest}`;
  const headers = { 'content-type': 'application/octet-stream' };
  await client.ask({ method: 'PUT', path, body: data, headers, when, expect: [201] });
  return { mediaType, size: data.length, digest };
}

export async function pushManifest(
  { call, client, name }: Pick<ImagePush, 'call' | 'client' | 'name'>,
  manifest: string,
): Promise<void> {
  call.out(`pushing manifest for ${formatRemoteName(name)}...`);
  await client.ask({
    method: 'PUT',
    path: `${repositoryPath(name)}/manifests/${referenceOf(name)}`,
    body: Buffer.from(manifest),
    headers: { 'content-type': MANIFEST_TYPE },
    when: 'pushing manifest',
    expect: [201],
  });
}

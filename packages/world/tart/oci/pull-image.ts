import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Descriptor,
  DISK_SIZE,
  DISK_TYPE,
  type ImageManifest,
  layersOf,
  MANIFEST_TYPE,
  NVRAM_TYPE,
  simulatedSize,
  VM_CONFIG_TYPE,
} from '../../oci/image-content.ts';
import { GB } from '../host/host-file.ts';
import { type Bundle, writeFacts } from '../storage/bundle.ts';
import {
  cachedDigest,
  cachedImage,
  formatRemoteName,
  hostLock,
  imagePath,
  linkTag,
  type RemoteName,
  referenceOf,
  withDigest,
} from '../storage/image-cache.ts';
import { waitForLock } from '../storage/lock.ts';
import { autoPrune, availableBytes, makeTemporary } from '../storage/temporary.ts';
import { cancelOnInterrupt, foreignFailure, type TartCall } from '../tart-call.ts';

import { pullDisk } from './pull-disk.ts';
import {
  type RegistryAccess,
  type RegistryClient,
  RegistryUrlFailure,
  registryClient,
  repositoryPath,
} from './registry-client.ts';

const RETRIES = 5;

/** State of a pull across its steps. */
export interface ImagePull {
  readonly call: TartCall;
  readonly name: RemoteName;
  readonly client: RegistryClient;
  readonly manifest: ImageManifest;
  readonly digest: string;
}

/** Pulls an image into `cache/OCIs`. One pull per registry host at a time. */
export async function pullImage(call: TartCall, name: RemoteName, access: RegistryAccess): Promise<void> {
  call.out(`pulling ${formatRemoteName(name)}...`);
  const lock = await waitForLock(call, hostLock(call, name), { onWait: () => call.out('waiting for lock...') });
  try {
    await pullLocked(call, name, registryClient(call, name.host, access));
  } finally {
    lock.release();
  }
}

async function pullLocked(call: TartCall, name: RemoteName, client: RegistryClient): Promise<void> {
  call.out('pulling manifest...');
  const { manifest, digest } = await fetchManifest(name, client);
  const exact = withDigest(name, digest);
  if (cachedImage(call, exact)) {
    const linked = cachedDigest(call, name) === digest;
    call.out(
      `${formatRemoteName(exact)} image is already cached${linked ? ' and linked!' : '! creating a symlink...'}`,
    );
    if (!linked) linkTag(call, name, digest);
    return;
  }
  const pulling = { call, name, client, manifest, digest };
  for (let attempt = 0; ; attempt++) {
    try {
      return await pullBundle(pulling);
    } catch (error) {
      if (!(error instanceof RegistryUrlFailure) || attempt >= RETRIES) throw error;
      call.out(`Error pulling image: "${error.words}", attempting to re-try...`);
    }
  }
}

async function fetchManifest(
  name: RemoteName,
  client: RegistryClient,
): Promise<{ readonly manifest: ImageManifest; readonly digest: string }> {
  const answer = await client.ask({
    path: `${repositoryPath(name)}/manifests/${referenceOf(name)}`,
    headers: { accept: MANIFEST_TYPE },
    when: 'pulling manifest',
    expect: [200],
  });
  const digest = `sha256:${createHash('sha256').update(answer.body).digest('hex')}`;
  return { manifest: JSON.parse(answer.body.toString()) as ImageManifest, digest };
}

/** The directory is named by the remote name, so that a restarted pull finds the data of an earlier one. */
async function pullBundle(pulling: ImagePull): Promise<void> {
  const { call, name, manifest, digest } = pulling;
  const entry = createHash('md5').update(formatRemoteName(name)).digest('hex');
  const temporary = makeTemporary(call, entry);
  cancelOnInterrupt(call, () => temporary.discard());
  const { bundle } = temporary;
  try {
    makeRoom(pulling);
    writeFileSync(bundle.config, await fetchBlob(pulling, layersOf(manifest, VM_CONFIG_TYPE)[0]));
    const compressed = diskBytes(manifest);
    call.out(`pulling disk (${(compressed / GB).toFixed(1)} GB compressed)...`);
    await pullDisk(pulling, bundle);
    call.out('pulling NVRAM...');
    writeFileSync(bundle.nvram, await fetchBlob(pulling, layersOf(manifest, NVRAM_TYPE)[0]));
    writeFileSync(join(bundle.directory, 'manifest.json'), JSON.stringify(manifest));
    if ('digest' in name.reference) writeFileSync(join(bundle.directory, '.explicitly-pulled'), '');
    moveIntoCache(pulling, bundle);
    linkTag(call, name, digest);
  } finally {
    temporary.release();
  }
}

function moveIntoCache({ call, name, manifest, digest }: ImagePull, bundle: Bundle): void {
  const facts = {
    diskBytes: Number(manifest.annotations?.[DISK_SIZE] ?? diskBytes(manifest)),
    allocatedBytes: diskBytes(manifest),
    content: digest,
    image: formatRemoteName(name),
  };
  writeFacts(bundle, facts, call.around.clock.now());
  const target = imagePath(call, withDigest(name, digest));
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { recursive: true, force: true });
  renameSync(bundle.directory, target);
}

function makeRoom({ call, manifest }: ImagePull): void {
  const needed = diskBytes(manifest);
  autoPrune(call, needed);
  // Foundation's message for a full disk, which the operators' agent matches (facts 3.4).
  if (availableBytes(call) < needed) {
    throw foreignFailure('The file “disk.img” couldn’t be saved because there isn’t enough space.');
  }
}

const diskBytes = (manifest: ImageManifest): number =>
  layersOf(manifest, DISK_TYPE).reduce((sum, layer) => sum + simulatedSize(layer), 0);

export async function fetchBlob({ client, name }: ImagePull, layer: Descriptor | undefined): Promise<Buffer> {
  if (!layer) throw foreignFailure('ShouldHaveOneLayer');
  const path = `${repositoryPath(name)}/blobs/${layer.digest}`;
  return (await client.ask({ path, when: 'pulling blob', expect: [200] })).body;
}

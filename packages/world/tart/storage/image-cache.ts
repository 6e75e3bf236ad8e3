import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { doesNotExist, type TartCall } from '../tart-call.ts';

import { type Bundle, bundleAt, complete, markAccess, openBundle } from './bundle.ts';
import { type NamedBundle, openHome } from './local-vms.ts';

/** `cache/OCIs`: one directory per digest, one link with an absolute target per tag. */
export const imagePath = (call: TartCall, name: RemoteName): string =>
  join(openHome(call.home).images, name.host.replace(':', '%3A'), name.namespace, referenceOf(name));

/** flock on `cache/OCIs/<host>`, held for a whole pull. */
export function hostLock(call: TartCall, name: RemoteName): string {
  const directory = join(openHome(call.home).images, name.host.replace(':', '%3A'));
  mkdirSync(directory, { recursive: true });
  return join(directory, '.lock');
}

export const cachedImage = (call: TartCall, name: RemoteName): Bundle | undefined => {
  const bundle = bundleAt(imagePath(call, name));
  return complete(bundle) ? bundle : undefined;
};

export const openImage = (call: TartCall, name: RemoteName): Bundle =>
  openBundle(bundleAt(imagePath(call, name)), formatRemoteName(name), call.around.clock.now());

/** Returns the digest of a cached name. */
export function cachedDigest(call: TartCall, name: RemoteName): string | undefined {
  const path = imagePath(call, name);
  if (!existsSync(path)) return undefined;
  return lstatSync(path).isSymbolicLink() ? basename(readlinkSync(path)) : basename(path);
}

/** An image pulled by tag is listed twice, by tag and by digest. */
export function listImages(call: TartCall): NamedBundle[] {
  const root = openHome(call.home).images;
  const found: NamedBundle[] = [];
  const walk = (directory: string): void => {
    for (const entry of readdirSync(directory).filter(each => !each.startsWith('.'))) {
      const path = join(directory, entry);
      if (!existsSync(path)) continue;
      const bundle = bundleAt(path);
      if (complete(bundle)) found.push({ name: nameOf(root, path), bundle });
      else if (lstatSync(path).isDirectory()) walk(path);
    }
  };
  walk(root);
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function nameOf(root: string, path: string): string {
  const repository = relative(root, dirname(path)).replace('%3A', ':');
  const reference = basename(path);
  return `${repository}${reference.startsWith('sha256:') ? '@' : ':'}${reference}`;
}

/**
 * Points the tag at the digest. The previous target gets the epoch as its access time, so that pruning removes it
 * first.
 */
export function linkTag(call: TartCall, name: RemoteName, digest: string): void {
  if (!('tag' in name.reference)) return;
  const link = imagePath(call, name);
  const target = imagePath(call, { ...name, reference: { digest } });
  if (existsSync(link) && readlinkSync(link) !== target) markAccess(bundleAt(readlinkSync(link)), 0);
  rmSync(link, { force: true });
  symlinkSync(target, link);
  removeUnreferenced(call, name);
}

export function removeImage(call: TartCall, name: RemoteName): void {
  const path = imagePath(call, name);
  if (!existsSync(path)) throw doesNotExist(formatRemoteName(name));
  rmSync(path, { recursive: true, force: true });
  removeUnreferenced(call, name);
}

/** Removes digests without a tag, unless they were pulled by digest, and dangling links. */
function removeUnreferenced(call: TartCall, name: RemoteName): void {
  const directory = dirname(imagePath(call, name));
  const entries = existsSync(directory) ? readdirSync(directory) : [];
  const links = entries.filter(entry => lstatSync(join(directory, entry)).isSymbolicLink());
  for (const link of links.filter(each => !existsSync(join(directory, each)))) rmSync(join(directory, link));
  const referenced = new Set(
    links.filter(each => existsSync(join(directory, each))).map(each => basename(readlinkSync(join(directory, each)))),
  );
  for (const entry of entries.filter(each => each.startsWith('sha256:') && !referenced.has(each))) {
    const path = join(directory, entry);
    if (!existsSync(join(path, '.explicitly-pulled'))) rmSync(path, { recursive: true, force: true });
  }
}

export const readManifestFile = (bundle: Bundle): string =>
  readFileSync(join(bundle.directory, 'manifest.json'), 'utf8');

/** `host[:port]/namespace[:tag|@sha256:…]` (facts 10.4). */
export interface RemoteName {
  readonly host: string;
  readonly namespace: string;
  readonly reference: { readonly tag: string } | { readonly digest: string };
}

const PATTERN =
  /^([A-Za-z0-9][A-Za-z0-9.-]*(?::\d+)?)\/([a-z0-9._/-]+?)(?::([A-Za-z0-9_][A-Za-z0-9._-]*)|@(sha256:[0-9a-f]{64}))?$/;

/** Undefined for a local name, and for one with a slash that is not a remote name. */
export function parseRemoteName(text: string): RemoteName | undefined {
  const [, host, namespace, tag, digest] = PATTERN.exec(text) ?? [];
  if (host === undefined || namespace === undefined) return undefined;
  return { host, namespace, reference: digest === undefined ? { tag: tag ?? 'latest' } : { digest } };
}

const repositoryOf = (name: RemoteName): string => `${name.host}/${name.namespace}`;

export const formatRemoteName = (name: RemoteName): string =>
  'tag' in name.reference
    ? `${repositoryOf(name)}:${name.reference.tag}`
    : `${repositoryOf(name)}@${name.reference.digest}`;

export const withDigest = (name: RemoteName, digest: string): RemoteName => ({ ...name, reference: { digest } });

export const referenceOf = (name: RemoteName): string =>
  'tag' in name.reference ? name.reference.tag : name.reference.digest;

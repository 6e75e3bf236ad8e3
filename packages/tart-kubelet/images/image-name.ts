import { IMAGE_NAME_INVALID } from './errors.ts';

/** An image name as Tart uses it, starting with its registry. */
export interface ImageName {
  /** `ghcr.io`, `127.0.0.1:5000`. */
  readonly host: string;
  /** `ghcr.io/acme/runner`. */
  readonly repository: string;
  /** `ghcr.io/acme/runner:1` or `…@sha256:…`, as Tart accepts and lists it. */
  readonly reference: string;
}

const HOST = String.raw`[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?`;
const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const NAME = new RegExp(
  `^(${HOST})/(${PART}(?:/${PART})*)(?::([A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
);
const LONGEST = 1_024;

/**
 * Parses the image of a Pod. A name without a registry is rejected: Tart would treat it as a local, foreign VM. With
 * both a tag and a digest the digest counts, as in kubelet; Tart accepts only one of them.
 */
export function parseImageName(image: string): ImageName {
  const [, host, path, tag, digest] = (image.length <= LONGEST && NAME.exec(image)) || [];
  if (host === undefined || path === undefined) throw IMAGE_NAME_INVALID({ image: image.slice(0, 200) });
  const repository = `${host}/${path}`;
  return { host, repository, reference: digest ? `${repository}@${digest}` : `${repository}:${tag ?? 'latest'}` };
}

/** True for a reference with a digest. */
export const isDigest = (reference: string): boolean => /@sha256:[0-9a-f]{64}$/.test(reference);

/** Repository of a name as Tart lists it. */
export const repositoryOf = (reference: string): string => reference.replace(/@sha256:[0-9a-f]+$|:[^/:]*$/, '');

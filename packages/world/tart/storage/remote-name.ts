/** `host[:port]/namespace[:tag|@sha256:…]` (facts 10.4). */
export interface RemoteName {
  readonly host: string;
  readonly namespace: string;
  readonly reference: { readonly tag: string } | { readonly digest: string };
}

const PATTERN =
  /^([A-Za-z0-9][A-Za-z0-9.-]*(?::\d+)?)\/([a-z0-9._/-]+?)(?::([A-Za-z0-9_][A-Za-z0-9._-]*)|@(sha256:[0-9a-f]{64}))?$/;

/** Undefined for a local name, or one with a slash that is no remote name either. */
export function parseRemoteName(text: string): RemoteName | undefined {
  const [, host, namespace, tag, digest] = PATTERN.exec(text) ?? [];
  if (host === undefined || namespace === undefined) return undefined;
  return { host, namespace, reference: digest === undefined ? { tag: tag ?? 'latest' } : { digest } };
}

export const repositoryOf = (name: RemoteName): string => `${name.host}/${name.namespace}`;

export const formatRemoteName = (name: RemoteName): string =>
  'tag' in name.reference
    ? `${repositoryOf(name)}:${name.reference.tag}`
    : `${repositoryOf(name)}@${name.reference.digest}`;

export const withDigest = (name: RemoteName, digest: string): RemoteName => ({ ...name, reference: { digest } });

export const referenceOf = (name: RemoteName): string =>
  'tag' in name.reference ? name.reference.tag : name.reference.digest;

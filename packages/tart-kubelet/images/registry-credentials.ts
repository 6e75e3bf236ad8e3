import type { RegistryCredentials } from '../guests/tart.ts';
import type { ImageName } from './image-name.ts';

/** Fields of a Secret that are used here. */
interface PullSecret {
  readonly type?: string | undefined;
  /** Base64, as returned by the API. */
  readonly data?: Readonly<Record<string, string>> | undefined;
}

interface DockerConfigEntry {
  readonly username?: unknown;
  readonly password?: unknown;
  readonly auth?: unknown;
}

/**
 * Reads the registries of an imagePullSecret: `kubernetes.io/dockerconfigjson`, or the older `…/dockercfg`. Unreadable
 * content yields nothing, as in kubelet: the pull then fails with an access error. `hostname` is the key without its
 * scheme, including a path; `credentialsFor` compares it with an image.
 */
export function readPullSecret({ data = {} }: PullSecret): RegistryCredentials[] {
  const config = parse(data['.dockerconfigjson']) as { readonly auths?: unknown } | undefined;
  const auths = config ? config.auths : parse(data['.dockercfg']);
  if (typeof auths !== 'object' || auths === null) return [];
  return Object.entries(auths).flatMap(([registry, entry]) => {
    const pair = pairOf((entry ?? {}) as DockerConfigEntry);
    return pair ? [{ hostname: withoutScheme(registry), ...pair }] : [];
  });
}

/**
 * Matching credentials for an image's registry host, most specific first. Each is tried in order; without any, the pull
 * is anonymous. `*` matches one part of a host, as in `*.example.com`.
 */
export function credentialsFor(name: ImageName, known: readonly RegistryCredentials[]): RegistryCredentials[] {
  const fitting = known.filter(({ hostname }) => fits(hostname, name));
  const bySpecificity = fitting.toSorted((one, other) => other.hostname.length - one.hostname.length);
  const seen = new Set<string>();
  return bySpecificity.flatMap(({ username, password }) => {
    const key = JSON.stringify([username, password]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ hostname: name.host, username, password }];
  });
}

function fits(registry: string, { host, repository }: ImageName): boolean {
  const [hostPattern = '', ...path] = registry.split('/');
  const pattern = hostPattern
    .split('*')
    .map(part => part.replace(/[.\\+?^${}()|[\]]/g, String.raw`\$&`))
    .join('[^.:]*');
  if (!new RegExp(`^${pattern}$`).test(host)) return false;
  const prefix = path.join('/').replace(/\/$/, '');
  return prefix === '' || `${repository.slice(host.length + 1)}/`.startsWith(`${prefix}/`);
}

/** `https://ghcr.io/v1/` means `ghcr.io`: older keys contain the API version. */
const withoutScheme = (registry: string): string => registry.replace(/^https?:\/\//, '').replace(/\/(v1|v2)?\/?$/, '');

function pairOf({ username, password, auth }: DockerConfigEntry): { username: string; password: string } | undefined {
  if (typeof username === 'string' && typeof password === 'string') return { username, password };
  if (typeof auth !== 'string') return undefined;
  const [, user, word] = /^([^:]*):(.*)$/s.exec(Buffer.from(auth, 'base64').toString()) ?? [];
  return user && word ? { username: user, password: word.replace(/\0+$/, '') } : undefined;
}

function parse(encoded: string | undefined): unknown {
  if (encoded === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(encoded, 'base64').toString());
  } catch {
    return undefined;
  }
}

import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { messageOf } from '@minifleet/errors';
import { parse } from 'yaml';
import { defined } from '../defined.ts';
import type { CredentialSources, Material } from './credentials.ts';
import { type ExecConfig, execPlugin } from './exec-plugin.ts';
import { refuse } from './kubeconfig-error.ts';

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly { readonly name?: string; readonly context?: ContextEntry }[];
  readonly clusters?: readonly { readonly name?: string; readonly cluster?: ClusterEntry }[];
  readonly users?: readonly { readonly name?: string; readonly user?: UserEntry }[];
}

interface ContextEntry {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

interface ClusterEntry {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
}

interface UserEntry {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly exec?: ExecConfig;
  readonly 'auth-provider'?: unknown;
  readonly username?: string;
}

export interface KubeconfigOptions {
  readonly context?: string;
  /** Environment of an exec plugin. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Rejects references to files and programs, for a kubeconfig from an untrusted source. */
  readonly selfContained?: boolean;
}

/** Reads one context of a kubeconfig file. All mistakes are reported here, before the first request. */
export function readKubeconfig(path: string, options: KubeconfigOptions = {}): CredentialSources {
  if (!existsSync(path)) return refuse(path, 'no such file; set KUBECONFIG or pass --kubeconfig');
  return parseKubeconfig(readFileSync(path, 'utf8'), { path, ...options });
}

export function parseKubeconfig(text: string, from: KubeconfigSource): CredentialSources {
  const { path } = from;
  const config = parseYaml(text, path);
  const name = from.context ?? config['current-context'];
  if (!name)
    return refuse(
      path,
      `no current-context; run 'kubectl config use-context NAME' (${known('contexts', config.contexts)})`,
    );
  const context = pick(path, 'context', name, config.contexts)?.context ?? {};
  const clusterName = context.cluster ?? refuse(path, `context "${name}" has no cluster`);
  const cluster = pick(path, 'cluster', clusterName, config.clusters)?.cluster ?? {};
  const user = context.user ? (pick(path, 'user', context.user, config.users)?.user ?? {}) : {};
  if (from.selfContained) refuseOutside(path, { ...cluster, ...user });
  const sources: CredentialSources = {
    server: serverUrl(path, clusterName, cluster.server),
    ...defined({
      namespace: context.namespace,
      serverName: cluster['tls-server-name'],
      insecure: cluster['insecure-skip-tls-verify'],
      authority: material(cluster['certificate-authority-data'], cluster['certificate-authority'], path),
    }),
    ...identity(from, context.user ?? '', user),
  };
  checkMaterial(path, sources);
  return sources;
}

type KubeconfigSource = KubeconfigOptions & { readonly path: string };

const OUTSIDE = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile', 'exec'] as const;

/** Runs before any of the files is read. */
function refuseOutside(path: string, entries: ClusterEntry & UserEntry): void {
  const found = OUTSIDE.find(name => entries[name] !== undefined);
  if (found)
    refuse(path, `${found} is not allowed here, because files and programs are not read; use inline data or a token`);
}

function identity(from: KubeconfigSource, name: string, user: UserEntry): Partial<CredentialSources> {
  const { path } = from;
  if (user['auth-provider'])
    return refuse(path, `user "${name}" uses auth-provider, which Kubernetes removed; use an exec plugin or a token`);
  if (user.username)
    return refuse(
      path,
      `user "${name}" uses a password, which Kubernetes no longer accepts; use a token or a certificate`,
    );
  return defined({
    certificate: material(user['client-certificate-data'], user['client-certificate'], path),
    key: material(user['client-key-data'], user['client-key'], path),
    token: user.token ? { data: user.token } : material(undefined, user.tokenFile, path),
    issueToken: user.exec ? execPlugin(path, user.exec, from.environment ?? {}) : undefined,
  });
}

/** Data wins over a file, as in kubectl; a file is named relative to the kubeconfig. */
function material(data: string | undefined, file: string | undefined, path: string): Material | undefined {
  if (data) return { data: Buffer.from(data, 'base64') };
  return file ? { file: resolve(dirname(path), file) } : undefined;
}

/** Validates certificates and keys, because OpenSSL reports them later and without the file. */
function checkMaterial(path: string, sources: CredentialSources): void {
  const loaded = {
    ca: load(path, sources.authority),
    cert: load(path, sources.certificate),
    key: load(path, sources.key),
  };
  if (loaded.cert && !loaded.key)
    refuse(path, 'client-certificate is set without client-key; add client-key or client-key-data');
  if (loaded.key && !loaded.cert)
    refuse(path, 'client-key is set without client-certificate; add client-certificate or client-certificate-data');
  if (loaded.ca && !loaded.ca.includes('-----BEGIN CERTIFICATE-----')) {
    refuse(
      path,
      'certificate-authority is not a PEM certificate; certificate-authority-data must contain the PEM text in base64',
    );
  }
  try {
    // Without a list of authorities, Node would load all public ones to compare one key.
    createSecureContext(defined({ cert: loaded.cert, key: loaded.key, ca: [] }));
  } catch (cause) {
    refuse(path, 'client-certificate and client-key do not match or are not PEM; use both from the same user', cause);
  }
}

function load(path: string, source: Material | undefined): Buffer | undefined {
  if (!source) return undefined;
  if ('data' in source) return Buffer.from(source.data);
  if (!existsSync(source.file)) return refuse(path, `file ${source.file} does not exist`);
  return readFileSync(source.file);
}

function serverUrl(path: string, cluster: string, server: string | undefined): URL {
  if (!server) return refuse(path, `cluster "${cluster}" has no server; set server: https://HOST:PORT`);
  const url = URL.canParse(server)
    ? new URL(server)
    : refuse(path, `cluster "${cluster}" has an invalid server URL "${server}"; use https://HOST:PORT`);
  if (url.protocol !== 'https:')
    return refuse(path, `cluster "${cluster}" has a server URL without TLS "${server}"; use https://HOST:PORT`);
  return url;
}

function parseYaml(text: string, path: string): Kubeconfig {
  try {
    const value: unknown = parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    return refuse(path, `invalid YAML: ${messageOf(cause).split('\n')[0]}`, cause);
  }
  return refuse(path, 'the file is empty; create one with minifleet up or kubectl config');
}

function pick<T extends { readonly name?: string }>(
  path: string,
  what: string,
  name: string,
  all: readonly T[] = [],
): T {
  return (
    all.find(entry => entry.name === name) ?? refuse(path, `${what} "${name}" not found (${known(`${what}s`, all)})`)
  );
}

const known = (what: string, all: readonly { readonly name?: string }[] = []): string =>
  all.length > 0 ? `${what}: ${all.map(entry => entry.name).join(', ')}` : `the file has no ${what}`;

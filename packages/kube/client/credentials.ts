import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { type Clock, minutes } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { defined } from '../defined.ts';
import type { SecretLearner } from './learn-secrets.ts';

/** Address of the API server and identity of the client. Both may change: a token file is rotated, a certificate renewed. */
export interface Credentials {
  readonly server: URL;
  readonly namespace?: string;
  tls(): Promise<ConnectionOptions>;
  authorization(): Promise<string | undefined>;
}

/** Bytes in the configuration, or in a file that is read each time they are needed. */
export type Material = { readonly data: string | Buffer } | { readonly file: string };

export interface CredentialSources {
  readonly server: URL;
  readonly namespace?: string;
  readonly serverName?: string;
  readonly insecure?: boolean;
  readonly authority?: Material;
  readonly certificate?: Material;
  readonly key?: Material;
  readonly token?: Material;
  /** Returns a token with its expiry time (an exec plugin). */
  readonly issueToken?: () => Promise<IssuedToken>;
}

export interface IssuedToken {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly expiresAt?: number;
}

/** Kubernetes rotates projected tokens on disk long before they expire. client-go also re-reads them every minute. */
const TOKEN_FILE_REREAD = minutes(1);

export function createCredentials(sources: CredentialSources, clock: Clock, learner?: SecretLearner): Credentials {
  const learn = (name: string, value: string | Buffer | undefined): void => {
    if (value !== undefined) learner?.learn(new Secret(name, value));
  };
  const learnt = async (name: string, material: Material | undefined): Promise<string | Buffer | undefined> => {
    const value = await read(material);
    learn(name, value);
    return value;
  };
  // Before the first request, whose error may quote them.
  if (sources.token && 'data' in sources.token) learn('token', sources.token.data);
  if (sources.key && 'data' in sources.key) learn('client key', sources.key.data);
  const tokenFromFile = remember(
    () => learnt('token', sources.token),
    () => clock.now() + TOKEN_FILE_REREAD,
    clock,
  );
  const issued = remember(
    async () => {
      const credential = await sources.issueToken?.();
      learn('token', credential?.token);
      learn('client key', credential?.key);
      return credential;
    },
    value => value?.expiresAt ?? Number.POSITIVE_INFINITY,
    clock,
  );

  return {
    server: sources.server,
    ...defined({ namespace: sources.namespace }),
    async tls() {
      const [ca, cert, key, exec] = await Promise.all([
        read(sources.authority),
        read(sources.certificate),
        learnt('client key', sources.key),
        sources.issueToken ? issued() : undefined,
      ]);
      return defined({
        ca,
        cert: cert ?? exec?.certificate,
        key: key ?? exec?.key,
        servername: sources.serverName,
        rejectUnauthorized: sources.insecure ? false : undefined,
      });
    },
    async authorization() {
      const token = sources.issueToken ? (await issued())?.token : (await tokenFromFile())?.toString().trim();
      return token ? `Bearer ${token}` : undefined;
    },
  };
}

async function read(material: Material | undefined): Promise<string | Buffer | undefined> {
  if (!material) return undefined;
  return 'data' in material ? material.data : readFile(material.file);
}

/** Caches a value until it expires. Concurrent callers share one read. A failed read is not cached. */
function remember<T>(load: () => Promise<T>, endOf: (value: T) => number, clock: Clock): () => Promise<T> {
  let kept: { value: T; end: number } | undefined;
  let loading: Promise<T> | undefined;
  return async () => {
    if (kept && clock.now() < kept.end) return kept.value;
    loading ??= load()
      .then(value => {
        kept = { value, end: endOf(value) };
        return value;
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };
}

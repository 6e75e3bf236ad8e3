import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { type Clock, minutes } from '@minifleet/clock';
import { defined } from '../defined.ts';

/** Whom we talk to and who we are. Both may change while we run: a token file is rotated, a certificate renewed. */
export interface Credentials {
  readonly server: URL;
  readonly namespace?: string;
  tls(): Promise<ConnectionOptions>;
  authorization(): Promise<string | undefined>;
}

/** Bytes that stand in the configuration, or in a file that is read anew when needed. */
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
  /** Gives a token and when it ends (an exec plugin). */
  readonly issueToken?: () => Promise<IssuedToken>;
}

export interface IssuedToken {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly expiresAt?: number;
}

// Kubernetes rotates projected tokens on disk long before they end; client-go rereads each minute, too.
const TOKEN_FILE_REREAD = minutes(1);

export function createCredentials(sources: CredentialSources, clock: Clock): Credentials {
  const tokenFromFile = remember(
    () => read(sources.token),
    () => clock.now() + TOKEN_FILE_REREAD,
    clock,
  );
  const issued = remember(
    async () => sources.issueToken?.(),
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
        read(sources.key),
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

/** Keeps a value until it ends; concurrent callers share one read; a failed read is not kept. */
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

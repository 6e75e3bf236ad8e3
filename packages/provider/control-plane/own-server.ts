import { readFile } from 'node:fs/promises';
import type { CredentialSources } from '@minifleet/kube';

/** The API server as this provider reaches it. Core runs in the same cluster, so it reaches it there, too. */
export interface OwnServer {
  /** `https://10.96.0.1:443`. */
  readonly url: string;
  /** PEM of the authority behind its certificate; undefined where the system's own list is trusted. */
  readonly ca: string | undefined;
}

/** Read anew each time: the cluster's authority is renewed under a running Pod. */
export async function readOwnServer({ server, authority }: CredentialSources): Promise<OwnServer> {
  const ca = authority && ('data' in authority ? authority.data : await readFile(authority.file));
  return { url: server.href.replace(/\/$/, ''), ca: ca?.toString() };
}

import { readFile } from 'node:fs/promises';
import type { CredentialSources } from '@minifleet/kube';

/** API server address of the provider. Cluster API runs in the same cluster, so the address also works there. */
export interface OwnServer {
  /** `https://10.96.0.1:443`. */
  readonly url: string;
  /** CA certificate in PEM; undefined if the system CA list is used. */
  readonly ca: string | undefined;
}

/** Read each time, because the cluster CA can be renewed while the Pod runs. */
export async function readOwnServer({ server, authority }: CredentialSources): Promise<OwnServer> {
  const ca = authority && ('data' in authority ? authority.data : await readFile(authority.file));
  return { url: server.href.replace(/\/$/, ''), ca: ca?.toString() };
}

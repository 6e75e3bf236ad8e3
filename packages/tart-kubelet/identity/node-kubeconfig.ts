import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type CredentialSources, type Material, readKubeconfig } from '@minifleet/kube';
import { makeDirectoryDurably, writeDurably } from '../durable/write-durably.ts';

/** The cluster without a user: its address and certificate authority. */
export type ClusterConnection = Pick<CredentialSources, 'server' | 'authority' | 'serverName' | 'insecure'>;

export const clusterOf = ({ server, authority, serverName, insecure }: CredentialSources): ClusterConnection => ({
  server,
  ...(authority ? { authority } : {}),
  ...(serverName ? { serverName } : {}),
  ...(insecure ? { insecure } : {}),
});

/** Reads a kubeconfig if it exists; an invalid file is an error. */
export const readIfPresent = (path: string): CredentialSources | undefined =>
  existsSync(path) ? readKubeconfig(path) : undefined;

/**
 * Text of the node's own kubeconfig, in JSON, which is valid YAML. It refers to the file with key and certificate, so
 * that a renewal does not change it.
 */
export async function ownKubeconfig(cluster: ClusterConnection, credentialFile: string): Promise<string> {
  const authority = await materialBytes(cluster.authority);
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'cluster',
        cluster: {
          server: cluster.server.href,
          ...(authority ? { 'certificate-authority-data': authority.toString('base64') } : {}),
          ...(cluster.serverName ? { 'tls-server-name': cluster.serverName } : {}),
          ...(cluster.insecure ? { 'insecure-skip-tls-verify': true } : {}),
        },
      },
    ],
    users: [{ name: 'node', user: { 'client-certificate': credentialFile, 'client-key': credentialFile } }],
    contexts: [{ name: 'node', context: { cluster: 'cluster', user: 'node' } }],
    'current-context': 'node',
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Writes the file only if its content differs. */
export async function writeOwnKubeconfig(directory: string, path: string, text: string): Promise<void> {
  if (existsSync(path) && (await readFile(path, 'utf8')) === text) return;
  await makeDirectoryDurably(directory);
  await writeDurably(path, text, { mode: 0o600 });
}

async function materialBytes(material: Material | undefined): Promise<Buffer | undefined> {
  if (!material) return undefined;
  return 'data' in material ? Buffer.from(material.data) : readFile(material.file);
}

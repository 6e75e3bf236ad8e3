/** Access to the cluster as one user: a file for programs, and its parts for code. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import type { KeyPair } from './pki/certificate-authority.ts';

export type Kubeconfig = {
  /** Only its owner can read it. It is removed when the cluster stops. */
  readonly path: string;
  readonly text: string;
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority: string;
  /** PEM. */
  readonly clientCertificate: string;
  /** PEM. */
  readonly clientKey: string;
};

export type KubeconfigOptions = {
  path: string;
  user: string;
  server: string;
  certificateAuthority: string;
  client: KeyPair;
};

export async function writeKubeconfig(options: KubeconfigOptions): Promise<Kubeconfig> {
  const text = kubeconfigText(options);
  await mkdir(path.dirname(options.path), { recursive: true, mode: 0o700 });
  await writeFile(`${options.path}.partial`, text, { mode: 0o600 });
  await rename(`${options.path}.partial`, options.path);
  return {
    path: options.path,
    text,
    server: options.server,
    certificateAuthority: options.certificateAuthority,
    clientCertificate: options.client.certificate,
    clientKey: options.client.privateKey,
  };
}

export function kubeconfigText({
  user,
  server,
  certificateAuthority,
  client,
}: Omit<KubeconfigOptions, 'path'>): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const cluster = { server, 'certificate-authority-data': base64(certificateAuthority) };
  const credentials = {
    'client-certificate-data': base64(client.certificate),
    'client-key-data': base64(client.privateKey),
  };
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster }],
    users: [{ name: user, user: credentials }],
    contexts: [{ name: 'local', context: { cluster: 'local', user } }],
    'current-context': 'local',
  };
  return stringify(document, { lineWidth: 0 });
}

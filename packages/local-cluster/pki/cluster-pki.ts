/** Certificates and keys of one cluster, and their files for the components. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type CertificateAuthority,
  type CertificateRequest,
  createCertificateAuthority,
  createSigningKeyPair,
  type KeyPair,
} from './certificate-authority.ts';

/** The first address of the service network is the API server's own Service. */
export const SERVICE_NETWORK = '10.96.0.0/16';
export const SERVICE_ADDRESS = '10.96.0.1';

type AuthorityName = 'cluster' | 'front-proxy' | 'etcd';
export type Identity =
  | 'apiserver'
  | 'apiserver-kubelet-client'
  | 'apiserver-etcd-client'
  | 'front-proxy-client'
  | 'etcd'
  | 'loopback-serving'
  | 'admin'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'capi-core'
  | 'metrics-server';

export const KUBELET_CLIENT_USER = 'kube-apiserver-kubelet-client';
export const CAPI_CORE_USER = 'minifleet-capi-core';
export const METRICS_SERVER_USER = 'minifleet-metrics-server';
/** The Service through which the API server reaches metrics-server, and the name it expects in the certificate. */
export const METRICS_SERVICE = { name: 'metrics-server', namespace: 'kube-system' };

export type ClusterPki = {
  readonly directory: string;
  readonly authorities: Readonly<Record<AuthorityName, CertificateAuthority>>;
  readonly identities: Readonly<Record<Identity, KeyPair>>;
};

type Leaf = CertificateRequest & { authority: AuthorityName };

function leaves(serverAddresses: readonly string[]): Record<Identity, Leaf> {
  const loopback = { dnsNames: ['localhost'], addresses: ['127.0.0.1', '::1'] };
  const client = (commonName: string, ...organizations: string[]): Leaf => ({
    authority: 'cluster',
    commonName,
    organizations,
    usages: ['client'],
  });
  const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
  return {
    apiserver: {
      authority: 'cluster',
      commonName: 'kube-apiserver',
      usages: ['server'],
      dnsNames: ['localhost', ...names],
      addresses: [...loopback.addresses, SERVICE_ADDRESS, ...serverAddresses],
    },
    'apiserver-kubelet-client': client(KUBELET_CLIENT_USER),
    'apiserver-etcd-client': { ...client('kube-apiserver-etcd-client'), authority: 'etcd' },
    'front-proxy-client': { ...client('front-proxy-client'), authority: 'front-proxy' },
    etcd: { authority: 'etcd', commonName: 'etcd', usages: ['server', 'client'], ...loopback },
    // Shared by components that listen only on loopback. Without it, each would generate an RSA key at every start.
    'loopback-serving': { authority: 'cluster', commonName: 'local-cluster', usages: ['server'], ...loopback },
    admin: client('minifleet-admin', 'system:masters'),
    'kube-controller-manager': client('system:kube-controller-manager'),
    'kube-scheduler': client('system:kube-scheduler'),
    'capi-core': client(CAPI_CORE_USER),
    'metrics-server': {
      authority: 'cluster',
      commonName: METRICS_SERVER_USER,
      usages: ['server', 'client'],
      dnsNames: ['localhost', `${METRICS_SERVICE.name}.${METRICS_SERVICE.namespace}.svc`],
      addresses: loopback.addresses,
    },
  };
}

export async function createClusterPki(directory: string, serverAddresses: readonly string[]): Promise<ClusterPki> {
  const authorities = {
    cluster: createCertificateAuthority('minifleet-local-cluster'),
    'front-proxy': createCertificateAuthority('minifleet-front-proxy'),
    etcd: createCertificateAuthority('minifleet-etcd'),
  };
  const issued = Object.entries(leaves(serverAddresses)).map(
    ([name, leaf]) => [name, authorities[leaf.authority].issue(leaf)] as const,
  );
  const pki = { directory, authorities, identities: Object.fromEntries(issued) as Record<Identity, KeyPair> };
  await writeFiles(pki);
  return pki;
}

async function writeFiles({ directory, authorities, identities }: ClusterPki): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const write = (name: string, content: string) => writeFile(path.join(directory, name), content, { mode: 0o600 });
  const pairs: [string, KeyPair][] = Object.entries(identities);
  for (const [name, authority] of Object.entries(authorities)) pairs.push([`${name}-ca`, authority]);
  await Promise.all(
    pairs.flatMap(([name, pair]) => [write(`${name}.crt`, pair.certificate), write(`${name}.key`, pair.privateKey)]),
  );
  const serviceAccount = createSigningKeyPair();
  await write('service-account.pub', serviceAccount.publicKey);
  await write('service-account.key', serviceAccount.privateKey);
}

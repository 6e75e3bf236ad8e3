/** What a component of the cluster is: flags made from the plan of the cluster, and a way to see that it is ready. */
import path from 'node:path';
import type { ClusterPki, Identity } from '../pki/cluster-pki.ts';

/** Started unless others are named. */
export const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'capi-core'] as const;

/** Started only when named: most clusters have no use for them. */
export const OPTIONAL_COMPONENTS = ['metrics-server'] as const;

export type Component = (typeof COMPONENTS)[number] | (typeof OPTIONAL_COMPONENTS)[number];

export type Flags = Readonly<Record<string, string>>;

/** Each port of a cluster and who listens on it. */
export const PORT_NAMES = [
  'etcd',
  'etcdPeer',
  'apiserver',
  'controllerManager',
  'scheduler',
  'capiWebhook',
  'capiHealth',
  'capiDiagnostics',
  'metricsServer',
] as const;

export type Ports = Readonly<Record<(typeof PORT_NAMES)[number], number>>;

/** Everything about a cluster that is known before its first process starts. */
export type ClusterPlan = {
  readonly directory: string;
  readonly components: readonly Component[];
  readonly ports: Ports;
  readonly pki: ClusterPki;
  /** Addresses besides loopback at which the API server has to answer. */
  readonly serverAddresses: readonly string[];
  readonly extraFlags: Partial<Readonly<Record<Component, Flags>>>;
  /** Where the log of a failed component is kept when the rest is removed; the next failure overwrites it. */
  readonly failureDirectory: string;
};

export type ComponentDefinition = {
  readonly name: Component;
  flags(plan: ClusterPlan): Flags;
  /** True once the component does its work. A refused connection may throw: it is asked again. */
  ready(plan: ClusterPlan): Promise<boolean>;
};

export function serverUrl({ ports }: ClusterPlan): string {
  return `https://127.0.0.1:${ports.apiserver}`;
}

/** The file of a certificate or key: `pkiFile(plan, 'apiserver.crt')`. */
export function pkiFile(
  { pki }: ClusterPlan,
  name:
    | `${Identity | 'cluster-ca' | 'front-proxy-ca' | 'etcd-ca'}.${'crt' | 'key'}`
    | `service-account.${'pub' | 'key'}`,
): string {
  return path.join(pki.directory, name);
}

export function kubeconfigFile({ directory }: Pick<ClusterPlan, 'directory'>, user: string): string {
  return path.join(directory, 'kubeconfigs', `${user}.yaml`);
}

export function commandLine(flags: Flags): string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

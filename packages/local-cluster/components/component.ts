/** Definition of a component: flags computed from the cluster plan, and a readiness check. */
import path from 'node:path';
import type { ClusterPki, Identity } from '../pki/cluster-pki.ts';

/** Started by default. */
export const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'capi-core'] as const;

/** Started only when listed: most clusters do not need them. */
export const OPTIONAL_COMPONENTS = ['metrics-server'] as const;

export type Component = (typeof COMPONENTS)[number] | (typeof OPTIONAL_COMPONENTS)[number];

export type Flags = Readonly<Record<string, string>>;

/** Each port of a cluster and its listener. */
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

/** Properties of a cluster that are known before its first process starts. */
export type ClusterPlan = {
  readonly directory: string;
  readonly components: readonly Component[];
  readonly ports: Ports;
  readonly pki: ClusterPki;
  /** Addresses besides loopback at which the API server must be reachable. */
  readonly serverAddresses: readonly string[];
  readonly extraFlags: Partial<Readonly<Record<Component, Flags>>>;
  /** Keeps the log of a failed component when everything else is removed; the next failure overwrites it. */
  readonly failureDirectory: string;
};

export type ComponentDefinition = {
  readonly name: Component;
  flags(plan: ClusterPlan): Flags;
  /** Returns true once the component is ready. It may throw, for example when the connection is refused, and is called again. */
  ready(plan: ClusterPlan): Promise<boolean>;
};

export function serverUrl({ ports }: ClusterPlan): string {
  return `https://127.0.0.1:${ports.apiserver}`;
}

/** Returns the path of a certificate or key: `pkiFile(plan, 'apiserver.crt')`. */
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

/** What it takes to talk to a cluster, for programs that run for a moment: controllers, metrics and elections load longer than a list takes. */

export * from '../object.ts';
export * from '../patch/conditions.ts';
export * from '../patch/finalizers.ts';
export * from './api-error.ts';
export * from './built-in.ts';
export * from './client.ts';
export { type ConnectOptions, connectClient } from './connect.ts';
export type { CredentialSources, Credentials, Material } from './credentials.ts';
export { inClusterSources } from './in-cluster.ts';
export { parseKubeconfig, readKubeconfig } from './kubeconfig.ts';
export { KubeconfigError } from './kubeconfig-error.ts';
export type { RequestObserver } from './observed-transport.ts';
export * from './resource.ts';
export * from './safe-writes.ts';
export type { ApiRequest, ApiResponse, ApiStream, Transport } from './transport.ts';
export type { WatchEvent } from './watch.ts';

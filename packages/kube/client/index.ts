/** API client alone, for short-lived programs: loading controllers, metrics and leader election takes longer than one list. */

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
export { learnSecrets, type SecretLearner } from './learn-secrets.ts';
export type { RequestObserver } from './observed-transport.ts';
export * from './resource.ts';
export * from './safe-writes.ts';
export type { ApiRequest, ApiResponse, ApiStream, Transport } from './transport.ts';
export type { WatchEvent } from './watch.ts';

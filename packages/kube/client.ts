/** API client alone, for short-lived programs: loading controllers, metrics and leader election takes longer than one list. */

export * from './client/api-error.ts';
export * from './client/built-in.ts';
export * from './client/client.ts';
export { type ConnectOptions, connectClient } from './client/connect.ts';
export type { CredentialSources, Credentials, Material } from './client/credentials.ts';
export { inClusterSources } from './client/in-cluster.ts';
export { parseKubeconfig, readKubeconfig } from './client/kubeconfig.ts';
export { KubeconfigError } from './client/kubeconfig-error.ts';
export { learnSecrets, type SecretLearner } from './client/learn-secrets.ts';
export type { RequestObserver } from './client/observed-transport.ts';
export * from './client/resource.ts';
export * from './client/safe-writes.ts';
export type { ApiRequest, ApiResponse, ApiStream, Transport } from './client/transport.ts';
export type { WatchEvent } from './client/watch.ts';
export * from './object.ts';
export * from './patch/conditions.ts';
export * from './patch/finalizers.ts';

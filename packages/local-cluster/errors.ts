/** Errors of this package, each with a code to match on and a message that names the next action. */

export type LocalClusterErrorCode =
  | 'LOCAL_CLUSTER_BINARY_UNAVAILABLE'
  | 'LOCAL_CLUSTER_BUILD_FAILED'
  | 'LOCAL_CLUSTER_GO_UNAVAILABLE'
  | 'LOCAL_CLUSTER_COMPONENT_FAILED'
  | 'LOCAL_CLUSTER_COMPONENT_ABSENT'
  | 'LOCAL_CLUSTER_SETUP_REFUSED'
  | 'LOCAL_CLUSTER_HOST_NETWORK_UNAVAILABLE'
  | 'LOCAL_CLUSTER_LINUX_NODE_UNAVAILABLE';

export class LocalClusterError extends Error {
  readonly code: LocalClusterErrorCode;

  constructor(code: LocalClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LocalClusterError';
    this.code = code;
  }
}

export function binaryUnavailable(name: string, reasons: readonly string[]): LocalClusterError {
  const tried = reasons.map(reason => `  - ${reason}`).join('\n');
  return new LocalClusterError(
    'LOCAL_CLUSTER_BINARY_UNAVAILABLE',
    `${name} was not found, downloaded or built:\n${tried}\nPut the program in a directory and set MINIFLEET_CLUSTER_BIN to it, or make one of these sources reachable.`,
  );
}

export function goUnavailable(problem: string, next: string, cause?: unknown): LocalClusterError {
  return new LocalClusterError(
    'LOCAL_CLUSTER_GO_UNAVAILABLE',
    `the cluster's programs cannot be built: ${problem}. ${next}; then run the command again.`,
    { cause },
  );
}

export function buildFailed(name: string, lastLines: string): LocalClusterError {
  return new LocalClusterError(
    'LOCAL_CLUSTER_BUILD_FAILED',
    `${name}: go build failed. Its last lines:\n${lastLines}\nCheck that the Go module proxy is reachable (GOPROXY), then run the command again; programs that are already built are kept.`,
  );
}

type ComponentFailure = { component: string; what: string; lastLines: string; logFile: string };

export function componentFailed(failure: ComponentFailure, cause?: unknown): LocalClusterError {
  return new LocalClusterError(
    'LOCAL_CLUSTER_COMPONENT_FAILED',
    `${failure.component} ${failure.what}. Its last log lines:\n${failure.lastLines}\nFull log: ${failure.logFile}`,
    { cause },
  );
}

export function componentAbsent(name: string, present: readonly string[]): LocalClusterError {
  return new LocalClusterError(
    'LOCAL_CLUSTER_COMPONENT_ABSENT',
    `${name} does not run in this cluster (running: ${present.join(', ')}). Add it to the components of startLocalCluster.`,
  );
}

export function setupRefused(what: string, answer: string): LocalClusterError {
  return new LocalClusterError(
    'LOCAL_CLUSTER_SETUP_REFUSED',
    `the API server rejected ${what}: ${answer}. If the binaries come from MINIFLEET_CLUSTER_BIN or KUBEBUILDER_ASSETS, check that they have the versions of packages/local-cluster/README.md.`,
  );
}

export function hostNetworkUnavailable(why: string, next: string, cause?: unknown): LocalClusterError {
  return new LocalClusterError(
    'LOCAL_CLUSTER_HOST_NETWORK_UNAVAILABLE',
    `the host network could not be created: ${why}. ${next}`,
    { cause },
  );
}

export function linuxNodeUnavailable(why: string, next: string, cause?: unknown): LocalClusterError {
  return new LocalClusterError(
    'LOCAL_CLUSTER_LINUX_NODE_UNAVAILABLE',
    `a Linux Node cannot run here: ${why}. ${next}`,
    { cause },
  );
}

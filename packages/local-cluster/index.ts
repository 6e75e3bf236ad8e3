/** A real Kubernetes on loopback, for tests and for `minifleet up`. */
export { type FindBinariesOptions, findBinaries, findReadyBinary } from './binaries/find-binaries.ts';
export {
  CLUSTER_API_VERSION,
  ETCD_VERSION,
  HELM_VERSION,
  HELM3_VERSION,
  KUBERNETES_VERSION,
  METRICS_SERVER_VERSION,
  PROGRAM_NAMES,
  type ProgramName,
} from './binaries/program.ts';
export { COMPONENTS, type Component, type Flags, OPTIONAL_COMPONENTS } from './components/component.ts';
export type { RunningComponent } from './components/running-component.ts';
export { LocalClusterError, type LocalClusterErrorCode } from './errors.ts';
export { findFreePorts } from './free-ports.ts';
export { createHostNetwork, type HostNetwork, type HostNetworkOptions } from './host-network/host-network.ts';
export type { Kubeconfig } from './kubeconfig.ts';
export { type LinuxNode, type LinuxNodeOptions, startLinuxNode } from './linux-node/linux-node.ts';
export { type PrivateNamespacesOptions, runInPrivateNamespaces } from './linux-node/private-namespaces.ts';
export type { LocalCluster } from './local-cluster.ts';
export { createTemporaryDirectory, type TemporaryDirectory } from './processes/watchdog.ts';
export { type ProgressStep, type Reporter, silentReporter } from './progress/reporter.ts';
export { createTerminalReporter, type TerminalReporterOptions } from './progress/terminal-reporter.ts';
export { BOOTSTRAP_GROUP } from './setup/access-rules.ts';
export { type StartLocalClusterOptions, startLocalCluster } from './start-local-cluster.ts';

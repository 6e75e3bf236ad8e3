import type { Command } from 'commander';

/** Cluster selection from the command line. */
export interface ClusterRequest {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Adds the cluster options, named like kubectl's. */
export const withClusterOptions = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'path to the kubeconfig (default: $KUBECONFIG or ~/.kube/config)')
    .option('--context <name>', 'kubeconfig context (default: the current context)');

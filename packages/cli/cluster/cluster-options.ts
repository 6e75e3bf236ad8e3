import type { Command } from 'commander';

/** Which cluster a command is about, as the command line says it. */
export interface ClusterRequest {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Gives a command the options that say which cluster it is about, named as kubectl's. */
export const withClusterOptions = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'the cluster’s kubeconfig; $KUBECONFIG or ~/.kube/config unless said')
    .option('--context <name>', 'the context in it; its current one unless said');

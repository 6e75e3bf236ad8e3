import { Command } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';

export interface ReleaseOptions extends ClusterRequest {
  readonly namespace?: string;
}

export interface QuarantineOptions extends ReleaseOptions {
  readonly reason: string;
}

const about = (name: string, description: string): Command =>
  withClusterOptions(new Command(name).description(description))
    .argument('<host>', 'name of a MacHost (the server id at Scaleway), machine or Node')
    .option('-n, --namespace <name>', 'namespace of the machine (default: all namespaces)');

/** `minifleet quarantine` keeps machines from claiming a host. */
export const quarantineCommand = (context: CliContext): Command =>
  about('quarantine', 'Quarantine a host; no machine claims it until it is released')
    .requiredOption('--reason <text>', 'reason, as a sentence for the next operator (required)')
    .action(async (host: string, options: QuarantineOptions) => {
      const { quarantineHost } = await import('./quarantine-host.ts');
      await quarantineHost(host, options, context);
    });

/** `minifleet release` ends a quarantine. */
export const releaseCommand = (context: CliContext): Command =>
  about('release', 'Release a host from quarantine').action(async (host: string, options: ReleaseOptions) => {
    const { releaseHost } = await import('./release-host.ts');
    await releaseHost(host, options, context);
  });

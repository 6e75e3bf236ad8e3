import { Command } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';

export interface ReleaseOptions extends ClusterRequest {
  readonly namespace?: string;
}

export interface QuarantineOptions extends ReleaseOptions {
  readonly reason: string;
  readonly zone?: string;
}

const about = (name: string, description: string): Command =>
  withClusterOptions(new Command(name).description(description))
    .argument('<host>', 'server id, or the name of its machine or Node')
    .option('-n, --namespace <name>', 'where the machine is; everywhere unless said');

/** `minifleet quarantine`: no machine gets this host. */
export const quarantineCommand = (context: CliContext): Command =>
  about('quarantine', 'put a host aside: no machine gets it until it is released')
    .requiredOption('--reason <text>', 'why, in a sentence for the next person')
    .option('--zone <zone>', 'where the host stands; needed only for one that was never claimed')
    .action(async (host: string, options: QuarantineOptions) => {
      const { quarantineHost } = await import('./quarantine-host.ts');
      await quarantineHost(host, options, context);
    });

/** `minifleet release`: machines get this host again. */
export const releaseCommand = (context: CliContext): Command =>
  about('release', 'let machines have a host again that was put aside').action(
    async (host: string, options: ReleaseOptions) => {
      const { releaseHost } = await import('./release-host.ts');
      await releaseHost(host, options, context);
    },
  );

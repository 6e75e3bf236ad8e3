import type { Command } from 'commander';
import { type ClusterRequest, withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';
import type { HostAddress } from '../host/address.ts';
import { hostCommand, loginCommand } from '../host/host-commands.ts';
import type { HostRequest } from '../host/host-request.ts';

export interface AddHostRequest extends HostRequest, ClusterRequest {
  readonly fleet?: string;
  readonly pool?: string;
  readonly namespace?: string;
  readonly type?: string;
  readonly os?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** `minifleet host add` checks and prepares an owned Mac and declares it in the cluster. */
export const hostAddCommand = (context: CliContext, finish: Finish): Command =>
  withClusterOptions(hostCommand('add', 'Add an owned Mac to a fleet: check it, prepare it and declare its MacHost'))
    .option('--fleet <name>', 'fleet that the Mac joins (this or --pool is required)')
    .option('--pool <name>', 'pool of the Mac; a fleet must claim Macs of this pool')
    .option('-n, --namespace <name>', 'namespace of the fleet (default: all namespaces)')
    .option('--name <name>', 'name of the MacHost (default: the host name of the Mac)')
    .option('--type <type>', 'type of the Mac, which machines can select')
    .option('--os <image>', 'installed macOS, which machines can select, for example macos-tahoe-26.3')
    .option('--password-file <file>', 'read the account password from a file instead of asking; - for standard input')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--dry-run', 'check the Mac and print the MacHost; prepare and declare nothing')
    .action(async (address: HostAddress, options: Omit<AddHostRequest, 'address' | 'json'>) => {
      const { addHost } = await import('./add-host.ts');
      finish(await addHost({ ...options, address, json: false }, context));
    });

export interface RemoveHostOptions extends ClusterRequest {
  readonly identity?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** `minifleet host remove` removes Minifleet from an owned Mac, and the Mac from the cluster. */
export const hostRemoveCommand = (context: CliContext, finish: Finish): Command =>
  withClusterOptions(
    loginCommand('remove', 'Remove Minifleet from an owned Mac that no machine holds, and delete its MacHost'),
  )
    .argument('<name>', 'name of the MacHost')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--dry-run', 'print what is removed; change nothing')
    .action(async (name: string, options: RemoveHostOptions) => {
      const { removeHost } = await import('./remove-host.ts');
      finish(await removeHost(name, options, context));
    });

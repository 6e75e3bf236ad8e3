import type { Command } from 'commander';
import { withClusterOptions } from '../cluster/cluster-options.ts';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';
import type { HostAddress } from '../host/address.ts';
import { hostCommand } from '../host/host-commands.ts';
import type { PrepareRequest } from './prepare-fleet-host.ts';

type PrepareOptions = Omit<PrepareRequest, 'address' | 'json'>;

/** `minifleet prepare-fleet-host` runs the steps that need the account password. */
export const prepareCommand = (context: CliContext, finish: Finish): Command =>
  withClusterOptions(hostCommand('prepare-fleet-host', 'Prepare a Mac for a fleet; asks for the account password once'))
    .option(
      '--fleet <name>',
      'let the provider log in: authorize the SSH key of this fleet, which is read from the cluster',
    )
    .option('-n, --namespace <name>', 'namespace of the fleet (default: all namespaces)')
    .option('--password-file <file>', 'read the password from a file instead of asking; - for standard input')
    .action(async (address: HostAddress, options: PrepareOptions) => {
      const { prepareFleetHost } = await import('./prepare-fleet-host.ts');
      finish(await prepareFleetHost({ ...options, address, json: false }, context));
    });

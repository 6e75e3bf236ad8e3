import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';
import type { HostAddress } from '../host/address.ts';
import { hostCommand } from '../host/host-commands.ts';
import type { HostRequest } from '../host/host-request.ts';

type PrepareOptions = Omit<HostRequest, 'address' | 'json'>;

/** `minifleet prepare-fleet-host`: what only someone who knows the account's password can do. */
export const prepareCommand = (context: CliContext, finish: Finish): Command =>
  hostCommand('prepare-fleet-host', 'make a Mac ready to be taken into a fleet: asks for the account’s password once')
    .option('--password-file <file>', 'take the password from there in place of asking; - is standard input')
    .action(async (address: HostAddress, options: PrepareOptions) => {
      const { prepareFleetHost } = await import('./prepare-fleet-host.ts');
      finish(await prepareFleetHost({ ...options, address, json: false }, context));
    });

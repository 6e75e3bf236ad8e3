import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';
import type { Address } from '../host/address.ts';
import { reaching } from '../host/host-commands.ts';
import type { HostRequest } from '../host/host-request.ts';

type Options = Omit<HostRequest, 'address' | 'json'>;

/** `minifleet prepare-fleet-host`: what only someone who knows the account's password can do. */
export const prepareCommand = (around: CliContext, finish: Finish): Command =>
  reaching('prepare-fleet-host', 'make a Mac ready to be taken into a fleet: asks for the account’s password once')
    .option('--password-file <file>', 'take the password from there in place of asking; - is standard input')
    .action(async (address: Address, options: Options) => {
      const { prepareFleetHost } = await import('./prepare-fleet-host.ts');
      finish(await prepareFleetHost({ ...options, address, json: false }, around));
    });

import type { Disturbance } from '@minifleet/host';
import { Argument, Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';
import { type HostAddress, parseAddress } from './address.ts';
import type { HostRequest } from './host-request.ts';

/** `minifleet host plan|converge|inspect|doctor`. Each is loaded when used. */
export const hostCommands = (context: CliContext, finish: Finish): Command =>
  new Command('host')
    .description('one Mac over SSH: what differs from what is wanted, and bringing it there')
    .addCommand(planCommand(context, finish))
    .addCommand(convergeCommand(context, finish))
    .addCommand(inspectCommand(context, finish))
    .addCommand(doctorCommand(context, finish));

const planCommand = (context: CliContext, finish: Finish): Command =>
  specCommand('plan', 'say what differs from the spec file, and touch nothing')
    .addOption(allowOption())
    .action(async (address: HostAddress, options: HostCommandOptions) => {
      const { planHost } = await import('./plan-host.ts');
      finish(await planHost({ ...requestOf(address, options), allow: allowed(options) }, context));
    });

const convergeCommand = (context: CliContext, finish: Finish): Command =>
  specCommand('converge', 'bring the host to its spec file; run again, it goes on where it stopped')
    .addOption(allowOption())
    .option('--reboot', 'restart the host if a step takes force only then; needs --allow running-vms')
    .option('--holder <name>', 'who is changing the host, for others who find it busy; you, unless said')
    .action(async (address: HostAddress, options: HostCommandOptions) => {
      const { convergeHost } = await import('./converge/converge-host.ts');
      const { reboot = false, holder } = options;
      const request = { ...requestOf(address, options), allow: allowed(options), reboot, ...(holder && { holder }) };
      finish(await convergeHost(request, context));
    });

const inspectCommand = (context: CliContext, finish: Finish): Command =>
  specCommand('inspect', 'show what the host is and how it does, and touch nothing').action(
    async (address: HostAddress, options: HostCommandOptions) => {
      const { inspectHost } = await import('./inspect-host.ts');
      finish(await inspectHost(requestOf(address, options), context));
    },
  );

const doctorCommand = (context: CliContext, finish: Finish): Command =>
  specCommand('doctor', 'look for what commonly goes wrong, and say what to do about it').action(
    async (address: HostAddress, options: HostCommandOptions) => {
      const { doctorHost } = await import('./doctor/doctor-host.ts');
      finish(await doctorHost(requestOf(address, options), context));
    },
  );

interface HostCommandOptions extends Omit<HostRequest, 'address' | 'json'> {
  readonly output: 'table' | 'json';
  readonly allow?: string;
  readonly reboot?: boolean;
  readonly holder?: string;
}

/** A command about one host and what is wanted of it. */
const specCommand = (name: string, description: string): Command =>
  hostCommand(name, description)
    .option('-f, --file <spec file>', 'what is wanted of the host (YAML)')
    .option('--name <name>', 'the host’s name, if the spec file has none')
    .option('--password-file <file>', 'the account’s password, if a step needs it; - is standard input')
    .option('--only <step,step>', 'these steps and no others', names)
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['table', 'json']).default('table'));

/** A command about one host: where it is, and how one gets in. */
export const hostCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .addArgument(new Argument('<address>', 'host, host:port or user@host:port').argParser(parseAddress))
    .option('-i, --identity <key file>', 'the private key to log in with; ~/.ssh/id_ed25519 and the like unless said')
    .option('--user <name>', 'the account to log in with; m1 unless said')
    .addOption(new Option('--host-key <SHA256:…>', 'the key the host must show').conflicts('acceptNewHostKey'))
    .option('--accept-new-host-key', 'trust a host that was never met from here, and remember its key');

const allowOption = (): Option =>
  new Option('--allow <most>', 'the most that may be disturbed; what would disturb more is held back')
    .choices(Object.keys(ALLOWED))
    .default('new-vms');

const ALLOWED: Readonly<Record<string, Disturbance>> = {
  nothing: 'nothing',
  'new-vms': 'new VMs',
  'running-vms': 'running VMs',
};

const allowed = ({ allow = '' }: HostCommandOptions): Disturbance => ALLOWED[allow] ?? 'nothing';

const names = (text: string): string[] => text.split(',').map(name => name.trim());

const requestOf = (address: HostAddress, { output, ...options }: HostCommandOptions): HostRequest => ({
  ...options,
  address,
  json: output === 'json',
});

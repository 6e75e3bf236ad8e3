import type { Disturbance } from '@minifleet/host';
import { Argument, Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import type { Finish } from '../exit.ts';
import { type HostAddress, parseAddress } from './address.ts';
import type { HostRequest } from './host-request.ts';

/** `minifleet host plan|converge|inspect|doctor`. The code of each is loaded when it runs. */
export const hostCommands = (context: CliContext, finish: Finish): Command =>
  new Command('host')
    .description('Inspect and configure one Mac over SSH, add it to a fleet, or remove it')
    .addCommand(planCommand(context, finish))
    .addCommand(convergeCommand(context, finish))
    .addCommand(inspectCommand(context, finish))
    .addCommand(doctorCommand(context, finish));

const planCommand = (context: CliContext, finish: Finish): Command =>
  specCommand('plan', 'Show what differs from the spec file (read-only)')
    .addOption(allowOption())
    .action(async (address: HostAddress, options: HostCommandOptions) => {
      const { planHost } = await import('./plan-host.ts');
      finish(await planHost({ ...requestOf(address, options), allow: allowed(options) }, context));
    });

const convergeCommand = (context: CliContext, finish: Finish): Command =>
  specCommand('converge', 'Apply the spec file to the host; resumes after an interruption')
    .addOption(allowOption())
    .option('--reboot', 'restart the host if a step requires it; needs --allow running-vms')
    .option('--holder <name>', 'lease holder, shown to others who find the host busy (default: <user>@<machine>)')
    .action(async (address: HostAddress, options: HostCommandOptions) => {
      const { convergeHost } = await import('./converge/converge-host.ts');
      const { reboot = false, holder } = options;
      const request = { ...requestOf(address, options), allow: allowed(options), reboot, ...(holder && { holder }) };
      finish(await convergeHost(request, context));
    });

const inspectCommand = (context: CliContext, finish: Finish): Command =>
  specCommand('inspect', 'Show facts and state of the host (read-only)').action(
    async (address: HostAddress, options: HostCommandOptions) => {
      const { inspectHost } = await import('./inspect-host.ts');
      finish(await inspectHost(requestOf(address, options), context));
    },
  );

const doctorCommand = (context: CliContext, finish: Finish): Command =>
  specCommand('doctor', 'Check the host for common problems and print fixes (read-only)').action(
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

/** Creates a command for one host with a spec file. */
const specCommand = (name: string, description: string): Command =>
  hostCommand(name, description)
    .option('-f, --file <spec file>', 'desired state of the host (YAML, docs/hosts.md)')
    .option('--name <name>', 'host name, if the spec file has none')
    .option('--password-file <file>', 'file with the account password, if a step needs it; - for standard input')
    .option('--only <step,step>', 'only these steps (default: all steps)', names)
    .addOption(new Option('-o, --output <format>', 'output format').choices(['table', 'json']).default('table'));

/** Creates a command for one host with the connection options. */
export const hostCommand = (name: string, description: string): Command =>
  loginCommand(name, description)
    .addArgument(new Argument('<address>', 'host, host:port or user@host:port').argParser(parseAddress))
    .option('--user <name>', 'SSH user (default: m1)')
    .addOption(
      new Option('--host-key <SHA256:…>', 'expected fingerprint of the host key').conflicts('acceptNewHostKey'),
    )
    .option('--accept-new-host-key', 'trust and save the key of an unknown host');

/** Creates a command that logs in to a host. */
export const loginCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .option('-i, --identity <key file>', 'SSH private key (default: ~/.ssh/id_ed25519, id_ecdsa or id_rsa)');

const allowOption = (): Option =>
  new Option('--allow <level>', 'maximum disturbance; steps that disturb more are skipped')
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

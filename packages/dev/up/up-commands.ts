import type { CliContext } from '@minifleet/cli';
import { Command, InvalidArgumentError, positiveNumber } from '@minifleet/cli';
import { MIN_HOSTS } from './fleets/share-hosts.ts';
import type { UpOptions } from './up-options.ts';

interface UpFlags extends UpOptions {
  readonly detach?: boolean;
}

/** Each Mac has an agent process of about 100 MB. */
const MAX_HOSTS = 100;

export const upCommand = (context: CliContext): Command =>
  new Command('up')
    .description('Start a local Kubernetes with three fleets of simulated Macs, runners and builders, until Ctrl-C')
    .option('--hosts <count>', 'Macs in the fleets; one more stays in the pool', hostCount, 9)
    .option('--seed <text>', 'seed of the simulated world; the same seed gives the same world', 'minifleet')
    .option('--speed <factor>', 'speed of vendor and Macs relative to real time', positiveNumber, 1)
    .option('--kubeconfig <file>', 'use this cluster, which has Cluster API, instead of starting one')
    .option('--detach', 'return when everything is ready, and run in the background until `down`')
    .addHelpText(
      'after',
      `
Examples:
  minifleet up                       start three fleets with nine Macs, and print what to try
  minifleet up --detach --hosts 3    start the smallest environment in the background
  minifleet break                    list the incidents that can be reproduced on it`,
    )
    .action(async ({ detach, ...options }: UpFlags) => {
      if (detach) {
        const { upDetached } = await import('./up-detached.ts');
        return upDetached(flagsOf(options), context);
      }
      const { up } = await import('./up.ts');
      return up(options, context);
    });

export const downCommand = (context: CliContext): Command =>
  new Command('down')
    .description('Stop the running `up` and remove everything it created')
    .action(async () => (await import('./down.ts')).down(context));

export const envCommand = (context: CliContext): Command =>
  new Command('env')
    .description('Print KUBECONFIG and PATH of the running `up` for a shell: eval "$(minifleet env)"')
    .action(async () => (await import('./print-environment.ts')).printEnvironment(context));

const flagsOf = (options: UpOptions): string[] =>
  Object.entries(options).map(([name, value]) => `--${name}=${String(value)}`);

const hostCount = (text: string): number => {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(count >= MIN_HOSTS && count <= MAX_HOSTS)) {
    throw new InvalidArgumentError(
      `must be a whole number from ${MIN_HOSTS}, one per fleet, to ${MAX_HOSTS}, for example 9`,
    );
  }
  return count;
};

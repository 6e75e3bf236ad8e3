import type { CliContext } from '@minifleet/cli';
import { Command, InvalidArgumentError, positiveNumber } from '@minifleet/cli';
import { FEWEST_HOSTS } from './fleets/share-hosts.ts';
import type { UpOptions } from './up-options.ts';

/** What `up` is told on the command line. */
interface UpFlags extends UpOptions {
  readonly detach?: boolean;
}

export const upCommand = (around: CliContext): Command =>
  new Command('up')
    .description('start a local Kubernetes with three fleets of simulated Macs, runners and builders, until Ctrl-C')
    .option('--hosts <count>', 'Macs in the fleets; one more stays in the pool', hostCount, 9)
    .option('--seed <text>', 'the same seed gives the same world', 'minifleet')
    .option('--speed <factor>', 'how much faster than real time the vendor and the Macs are', positiveNumber, 1)
    .option('--kubeconfig <file>', 'live in this cluster, which has Cluster API, and not in one of our own')
    .option('--detach', 'return when all is there, and let it run until `down`')
    .addHelpText(
      'after',
      `
Examples:
  minifleet up                       three fleets, nine Macs; prints what to try
  minifleet up --detach --hosts 3    the smallest, in the background
  minifleet break                    what can go wrong, to be tried on it`,
    )
    .action(async ({ detach, ...options }: UpFlags) => {
      if (detach) {
        const { upDetached } = await import('./up-detached.ts');
        return upDetached(flagsOf(options), around);
      }
      const { up } = await import('./up.ts');
      return up(options, around);
    });

export const downCommand = (around: CliContext): Command =>
  new Command('down')
    .description('stop what `up` started, and remove all of it')
    .action(async () => (await import('./down.ts')).down(around));

export const envCommand = (around: CliContext): Command =>
  new Command('env')
    .description('print what a shell needs for what is up: eval "$(minifleet env)"')
    .action(async () => (await import('./print-environment.ts')).printEnvironment(around));

const flagsOf = (options: UpOptions): string[] =>
  Object.entries(options).map(([name, value]) => `--${name}=${String(value)}`);

const hostCount = (text: string): number => {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(count >= FEWEST_HOSTS && count <= MOST_HOSTS)) {
    throw new InvalidArgumentError(
      `write a whole number from ${FEWEST_HOSTS}, one for each fleet, to ${MOST_HOSTS}, for example 9`,
    );
  }
  return count;
};

/** Each has an agent, a process of its own of about 100 MB. */
const MOST_HOSTS = 100;

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type ExitCode, exitCode } from './exit-code.ts';
import type { Surroundings } from './surroundings.ts';

/** Runs one command line and says how it went. Commands are loaded when used: `--help` must not wait for a cluster's code. */
export async function runCli(argv: readonly string[], around: Surroundings): Promise<ExitCode> {
  try {
    await program(around).parseAsync([...argv], { from: 'user' });
    return exitCode.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
    around.errors.write(`minifleet: ${error instanceof Error ? error.message : String(error)}\n`);
    return exitCode.failed;
  }
}

function program(around: Surroundings): Command {
  const minifleet = new Command('minifleet')
    .description('Fleets of Apple-silicon Mac minis as ordinary citizens of a Kubernetes cluster')
    .exitOverride()
    .showHelpAfterError("Run 'minifleet --help' for the commands.")
    .configureOutput({
      writeOut: text => void around.output.write(text),
      writeErr: text => void around.errors.write(text),
    });
  minifleet
    .command('up')
    .description('start a local Kubernetes with Cluster API and the kinds of Minifleet, until Ctrl-C')
    .action(async () => {
      const { up } = await import('./up/up.ts');
      await up(around);
    });
  addWorld(minifleet, around);
  return minifleet;
}

function addWorld(minifleet: Command, around: Surroundings): void {
  const world = minifleet.command('world').description('the simulated world: Macs, vendor, forge, registry');
  world
    .command('start')
    .description('run the world alone, until Ctrl-C')
    .option('--hosts <count>', 'free Macs in the pool', wholeNumber, 3)
    .option('--seed <text>', 'the same seed gives the same world', 'minifleet')
    .option('--speed <factor>', 'how much faster than real time passes', positiveNumber, 1)
    .addOption(
      new Option('-o, --output <format>', 'how to print where everything is').choices(['text', 'json']).default('text'),
    )
    .action(async (options: { hosts: number; seed: string; speed: number; output: string }) => {
      const { startWorldAlone } = await import('./world/start.ts');
      await startWorldAlone({ ...options, json: options.output === 'json' }, around);
    });
}

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('write a whole number, for example 12');
  return Number(text);
};

const positiveNumber = (text: string): number => {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('write a number above 0, for example 60');
  return Number(text);
};

import { Command, CommanderError } from 'commander';
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
  return minifleet;
}

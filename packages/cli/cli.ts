import { SpecFileError } from '@minifleet/spec-file/error';
import { Command, CommanderError, Option } from 'commander';
import { breakCommand, mendCommand } from '../dev/break/break-command.ts';
import { completeCommand, completionCommand } from './completion/completion-commands.ts';
import { detachCommand } from './detach/detach-command.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { errorWords } from './error-words.ts';
import { type ExitCode, exitCode } from './exit-code.ts';
import { explainCommand } from './explain/explain-command.ts';
import type { Finish } from './finish.ts';
import { getCommand } from './get/get-command.ts';
import { hostCommands } from './host/host-commands.ts';
import { positiveNumber, wholeNumber } from './option-values.ts';
import { planCommand } from './plan/plan-command.ts';
import { prepareCommand } from './prepare/prepare-command.ts';
import { quarantineCommand, releaseCommand } from './quarantine/quarantine-commands.ts';
import type { Surroundings } from './surroundings.ts';
import { tccCommand } from './tcc/tcc-command.ts';
import { unstickCommand } from './unstick/unstick-command.ts';
import { downCommand, envCommand, upCommand } from '../dev/up/up-commands.ts';
import { UsageError } from './usage-error.ts';
import { watchCommand } from './watch/watch-command.ts';

/** Runs one command line and says how it went. Commands are loaded when used: `--help` must not wait for a cluster's code. */
export async function runCli(argv: readonly string[], around: Surroundings): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const finish: Finish = given => {
    code = given;
  };
  try {
    await program(around, finish).parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
    if (around.signal.aborted || isAbort(error)) return exitCode.stopped;
    around.errors.write(`minifleet: ${errorWords(error)}\n`);
    const wrong = error instanceof UsageError || error instanceof SpecFileError;
    return wrong ? exitCode.usage : exitCode.failed;
  }
}

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

function program(around: Surroundings, finish: Finish): Command {
  const minifleet = new Command(around.calledAs ?? 'minifleet').description(
    'Fleets of Apple-silicon Mac minis as ordinary citizens of a Kubernetes cluster',
  );
  minifleet.addCommand(upCommand(around));
  minifleet.addCommand(envCommand(around));
  minifleet.addCommand(downCommand(around));
  minifleet.addCommand(breakCommand(around, finish));
  minifleet.addCommand(mendCommand(around));
  minifleet.addCommand(worldCommands(around));
  minifleet.addCommand(hostCommands(around, finish));
  minifleet.addCommand(prepareCommand(around, finish));
  minifleet.addCommand(getCommand(around));
  minifleet.addCommand(watchCommand(around, finish));
  minifleet.addCommand(explainCommand(around));
  minifleet.addCommand(doctorCommand(around, finish));
  minifleet.addCommand(planCommand(around, finish));
  minifleet.addCommand(quarantineCommand(around));
  minifleet.addCommand(releaseCommand(around));
  minifleet.addCommand(detachCommand(around));
  minifleet.addCommand(unstickCommand(around, finish));
  minifleet.addCommand(tccCommand(around));
  minifleet.addCommand(completionCommand(around));
  minifleet.addCommand(completeCommand(around, minifleet), { hidden: true });
  everyCommand(minifleet, command =>
    command
      .exitOverride()
      .showHelpAfterError(`Run '${minifleet.name()} --help' for the commands.`)
      .configureOutput({
        writeOut: text => void around.output.write(text),
        writeErr: text => void around.errors.write(text),
      }),
  );
  return minifleet;
}

function worldCommands(around: Surroundings): Command {
  const world = new Command('world').description('the simulated world: Macs, vendor, forge, registry');
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
      const { startWorldAlone } = await import('../dev/world/start.ts');
      await startWorldAlone({ ...options, json: options.output === 'json' }, around);
    });
  return world;
}

/** Settings of a command are not those of the commands below it. */
function everyCommand(command: Command, set: (command: Command) => void): void {
  set(command);
  for (const below of command.commands) everyCommand(below, set);
}

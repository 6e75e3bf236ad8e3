import { SpecFileError } from '@minifleet/spec-file/error';
import { Command, CommanderError } from 'commander';
import { completeCommand, completionCommand } from './completion/completion-commands.ts';
import type { CliContext } from './context.ts';
import { detachCommand } from './detach/detach-command.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { type ExitCode, errorText, exitCode, type Finish, UsageError } from './exit.ts';
import { explainCommand } from './explain/explain-command.ts';
import { getCommand } from './get/get-command.ts';
import { hostCommands } from './host/host-commands.ts';
import { hostAddCommand, hostRemoveCommand } from './owned/owned-commands.ts';
import packageFile from './package.json' with { type: 'json' };
import { planCommand } from './plan/plan-command.ts';
import { prepareCommand } from './prepare/prepare-command.ts';
import { quarantineCommand, releaseCommand } from './quarantine/quarantine-commands.ts';
import { tccCommand } from './tcc/tcc-command.ts';
import { unstickCommand } from './unstick/unstick-command.ts';
import { watchCommand } from './watch/watch-command.ts';

export { Command, InvalidArgumentError, Option } from 'commander';
export type { CliContext, CliOutput } from './context.ts';
export { type ExitCode, errorText, exitCode, type Finish, UsageError } from './exit.ts';
export { positiveNumber, wholeNumber } from './option-values.ts';
export { untilStopped } from './stop.ts';

/** Returns commands that a program adds to the operator's. The program sets their help group. */
export type ExtraCommands = (context: CliContext, finish: Finish) => readonly Command[];

/** Runs one command line and returns its exit code. A command's code is loaded when it runs, so that `--help` stays fast. */
export async function runCli(
  argv: readonly string[],
  context: CliContext,
  extraCommands: ExtraCommands = () => [],
): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const finish: Finish = given => {
    code = given;
  };
  try {
    await createProgram(context, finish, extraCommands).parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
    if (context.signal.aborted || isAbort(error)) return exitCode.stopped;
    context.errors.write(`minifleet: ${errorText(error)}\n`);
    const isUsage = error instanceof UsageError || error instanceof SpecFileError;
    return isUsage ? exitCode.usage : exitCode.failed;
  }
}

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

function createProgram(context: CliContext, finish: Finish, extraCommands: ExtraCommands): Command {
  const minifleet = new Command(context.calledAs ?? 'minifleet')
    .description('Run fleets of Apple silicon Mac minis as Nodes of a Kubernetes cluster')
    .version(packageFile.version, '--version', 'print the version');
  for (const command of [
    getCommand(context),
    watchCommand(context, finish),
    explainCommand(context),
    doctorCommand(context, finish),
    planCommand(context, finish),
    quarantineCommand(context),
    releaseCommand(context),
    detachCommand(context),
    unstickCommand(context, finish),
    hostCommands(context, finish)
      .addCommand(hostAddCommand(context, finish))
      .addCommand(hostRemoveCommand(context, finish)),
    prepareCommand(context, finish),
    tccCommand(context),
    completionCommand(context),
    ...extraCommands(context, finish),
  ])
    minifleet.addCommand(command);
  minifleet.addCommand(completeCommand(context, minifleet), { hidden: true });
  forEachCommand(minifleet, command => {
    if (command.commands.length > 0) command.helpCommand('help [command]', 'Print help for a command');
    command
      .helpOption('-h, --help', 'print help')
      .exitOverride()
      .showHelpAfterError(`Run '${minifleet.name()} --help' for usage.`)
      .configureOutput({
        writeOut: text => void context.output.write(text),
        writeErr: text => void context.errors.write(text),
      });
  });
  return minifleet;
}

/** Commander does not pass a command's settings on to commands that were added with addCommand. */
function forEachCommand(command: Command, apply: (command: Command) => void): void {
  apply(command);
  for (const child of command.commands) forEachCommand(child, apply);
}

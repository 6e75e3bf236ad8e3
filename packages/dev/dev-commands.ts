import { type CliContext, Command, type Finish, Option, positiveNumber, wholeNumber } from '@minifleet/cli';
import { breakCommand, mendCommand } from './break/break-command.ts';
import { downCommand, envCommand, upCommand } from './up/up-commands.ts';

/** The commands that work on simulated Macs and a local cluster. They are not part of what operators install. */
export const devCommands = (context: CliContext, finish: Finish): readonly Command[] =>
  [
    upCommand(context),
    envCommand(context),
    downCommand(context),
    breakCommand(context, finish),
    mendCommand(context),
    worldCommands(context),
  ].map(command => command.helpGroup('Development:'));

function worldCommands(context: CliContext): Command {
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
      const { startWorldAlone } = await import('./world/start.ts');
      await startWorldAlone({ ...options, json: options.output === 'json' }, context);
    });
  return world;
}

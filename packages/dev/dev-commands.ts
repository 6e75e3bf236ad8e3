import { type CliContext, Command, type Finish, Option, positiveNumber, wholeNumber } from '@minifleet/cli';
import { breakCommand, mendCommand } from './break/break-command.ts';
import { downCommand, envCommand, upCommand } from './up/up-commands.ts';

/** Commands for simulated Macs and a local cluster. The CLI of operators does not include them. */
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
  const world = new Command('world').description('Simulated world: Macs, vendor, GitHub, registry');
  world
    .command('start')
    .description('Run the world without a cluster, until Ctrl-C')
    .option('--hosts <count>', 'free Macs in the pool', wholeNumber, 3)
    .option('--seed <text>', 'seed of the simulated world; the same seed gives the same world', 'minifleet')
    .option('--speed <factor>', 'speed relative to real time', positiveNumber, 1)
    .addOption(
      new Option('-o, --output <format>', 'output format of the addresses').choices(['text', 'json']).default('text'),
    )
    .action(async (options: { hosts: number; seed: string; speed: number; output: string }) => {
      const { startWorldAlone } = await import('./world/start.ts');
      await startWorldAlone({ ...options, json: options.output === 'json' }, context);
    });
  return world;
}

import type { Program, Run } from '../program.ts';
import { asUser, bootOutCommand, bootstrapCommand, enableCommand, kickstart, killCommand } from './control.ts';
import { LaunchdError } from './launchd-error.ts';
import { legacyLoad, legacyUnload } from './legacy-load.ts';
import { blame, list, print, printDisabled, sessionName } from './report.ts';

export type Subcommand = (run: Run, words: readonly string[]) => Promise<number> | number;

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  bootstrap: bootstrapCommand,
  bootout: bootOutCommand,
  kickstart,
  asuser: asUser,
  kill: killCommand,
  enable: (run, words) => enableCommand(run, words, true),
  disable: (run, words) => enableCommand(run, words, false),
  print,
  'print-disabled': printDisabled,
  list,
  blame,
  managername: sessionName,
  load: legacyLoad,
  unload: legacyUnload,
};

/** /bin/launchctl. */
export const launchctl: Program = async run => {
  const [, name = '', ...words] = run.argv;
  const subcommand = SUBCOMMANDS[name];
  if (!subcommand) {
    if (name !== '') run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, `launchctl ${name}`);
    run.err(
      `${name === '' ? '' : `Unrecognized subcommand: ${name}\n`}Usage: launchctl <subcommand> ... | help [subcommand]\n`,
    );
    return 64;
  }
  try {
    return await subcommand(run, words);
  } catch (error) {
    if (!(error instanceof LaunchdError)) throw error;
    run.err(`${error.message}\n`);
    return error.code;
  }
};

import type { Executable, MacPart, Program } from '../mac.ts';

import { brew, homebrewOf, installHomebrew } from './brew.ts';
import { formulae } from './pour-formulae.ts';
import { configure } from './runner-config.ts';
import { listen, serve } from './runner-listen.ts';
import { svc } from './svc.ts';

/** Makes a Mac an image builder: Homebrew with its formulae, and the scripts of the Actions runner. */
export const builderPart: MacPart = mac => {
  const known = homebrewOf(mac).formulae;
  for (const formula of formulae()) known.set(formula.name, formula);
  return {
    // Only the script below calls it, in place of what the real script downloads.
    programs: { '/usr/libexec/homebrew-installer': installer },
    load: file => loadRunnerScript(file),
  };
};

/** Body the simulated internet serves as Homebrew's install.sh. */
export const HOMEBREW_INSTALL_SCRIPT = '#!/bin/bash\nexec /usr/libexec/homebrew-installer\n';

const installer: Program = run => {
  if (run.user.uid === 0) {
    run.err("Don't run this as root!\n");
    return 1;
  }
  if (run.environment['NONINTERACTIVE'] === undefined && run.environment['CI'] === undefined) {
    run.err('Warning: Running in non-interactive mode because `stdin` is not a TTY.\n');
  }
  installHomebrew(run.mac, brew);
  run.out('==> Installation successful!\n');
  return 0;
};

/** Scripts of the Actions runner. In the simulation, each name maps to a program, wherever the archive was unpacked. */
const SCRIPTS: Readonly<Record<string, (version: string) => Program>> = {
  'config.sh': () => configure,
  'svc.sh': () => svc,
  'run.sh': listen,
  'runsvc.sh': serve,
};

/** Returns the program of a runner script, identified by the script's text. */
function loadRunnerScript(file: Executable): Program | undefined {
  const start = file.content.toString('latin1', 0, 128);
  const [, version = '', name = ''] = /^#!\/bin\/bash\n# actions\/runner (\S+) (\S+)\n/.exec(start) ?? [];
  return SCRIPTS[name]?.(version);
}

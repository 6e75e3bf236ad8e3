import type { Executable, Program } from '../mac.ts';

import { configure } from './runner-config.ts';
import { listen, serve } from './runner-listen.ts';
import { svc } from './svc.ts';

/** Scripts of the Actions runner. In the simulation, each name maps to a program, wherever the archive was unpacked. */
const SCRIPTS: Readonly<Record<string, (version: string) => Program>> = {
  'config.sh': () => configure,
  'svc.sh': () => svc,
  'run.sh': listen,
  'runsvc.sh': serve,
};

/** Returns the program of a runner script, identified by the script's text. */
export function loadRunnerScript(file: Executable): Program | undefined {
  const start = file.content.toString('latin1', 0, 128);
  const [, version = '', name = ''] = /^#!\/bin\/bash\n# actions\/runner (\S+) (\S+)\n/.exec(start) ?? [];
  return SCRIPTS[name]?.(version);
}

import type { Executable, Program } from '../mac.ts';

import { configure } from './runner-config.ts';
import { listen, serve } from './runner-listen.ts';
import { svc } from './svc.ts';

/** The scripts of the Actions runner: in the world each is a name for a program, wherever the archive was unpacked. */
const SCRIPTS: Readonly<Record<string, (version: string) => Program>> = {
  'config.sh': () => configure,
  'svc.sh': () => svc,
  'run.sh': listen,
  'runsvc.sh': serve,
};

/** The program behind a script of the runner, known by its text. */
export function loadRunnerScript(file: Executable): Program | undefined {
  const start = file.content.toString('latin1', 0, 128);
  const [, version = '', name = ''] = /^#!\/bin\/bash\n# actions\/runner (\S+) (\S+)\n/.exec(start) ?? [];
  return SCRIPTS[name]?.(version);
}

import type { Executable } from '../mac-part.ts';
import type { Program } from '../program.ts';
import { configure } from './runner-config.ts';
import { listen } from './runner-listen.ts';
import { svc } from './svc.ts';

/** The scripts of the Actions runner: in the world each is a name for a program, wherever the archive was unpacked. */
const SCRIPTS: Readonly<Record<string, Program>> = {
  'config.sh': configure,
  'svc.sh': svc,
  'run.sh': listen,
  'runsvc.sh': listen,
};

/** The program behind a script of the runner, known by its text. */
export function loadRunnerScript(file: Executable): Program | undefined {
  const start = file.content.toString('latin1', 0, 128);
  const name = /^#!\/bin\/bash\n# actions\/runner \S+ (\S+)\n/.exec(start)?.[1];
  return name === undefined ? undefined : SCRIPTS[name];
}

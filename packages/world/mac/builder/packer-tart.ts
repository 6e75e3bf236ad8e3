import { inputOf } from '../processes/pipe.ts';
import { findExecutable, runProgram } from '../processes/run-program.ts';
import type { Run } from '../program.ts';

/** Calls `tart` as Packer's plugin does: the one on its PATH, with its output passed on in the plugin's name. */
export async function tart(run: Run, source: string, words: readonly string[]): Promise<number> {
  const { user, session, directory, environment, signal } = run;
  const passOn = (write: Run['out']) => ({
    write: (text: string | Buffer) => write(String(text).replaceAll(/^(?=.)/gm, `    ${source}: `)),
  });
  const request = {
    ...{ argv: ['tart', ...words], user, session, directory, environment, signal },
    ...{ stdin: inputOf(''), out: passOn(run.out), err: passOn(run.err) },
  };
  const found = findExecutable(run.mac, request);
  if ('program' in found) return runProgram(run.mac, found, request);
  run.err(`    ${source}: exec: "tart": executable file not found in $PATH\n`);
  return 127;
}

import { wordsOf } from '../../files/file-error.ts';
import type { Program } from '../../program.ts';
import { parseOptions, refuseForm } from '../options.ts';
import { resolve } from '../paths.ts';
import { parseSudoers } from './parse-sudoers.ts';
import { describe, readSudoers } from './read-sudoers.ts';

/** visudo -c: of one file with -f, which minds neither owner nor mode, or of all that sudo reads. */
export const visudo: Program = run => {
  const options = parseOptions(run, { letters: 'cqsf:OP', usage: 'visudo [-chqsV] [[-f] sudoers ]' });
  if (typeof options === 'number') return options;
  if (!options.has('c')) return refuseForm(run);
  const path = options.value('f') ?? options.operands[0];
  const say = (text: string): void => {
    if (!options.has('q')) run.out(text);
  };
  if (path === undefined) {
    const { broken, warnings } = readSudoers(run.mac);
    for (const warning of warnings) run.err(warning.replace('sudo:', 'visudo:'));
    if (broken) run.err(broken);
    else say('/etc/sudoers: parsed OK\n');
    return broken || warnings.length > 0 ? 1 : 0;
  }
  try {
    const [error] = parseSudoers(run.mac.files.read(run.user, resolve(run, path)).toString()).errors;
    if (error) run.err(describe(path, error));
    else say(`${path}: parsed OK\n`);
    return error ? 1 : 0;
  } catch (error) {
    run.err(`visudo: unable to open ${path}: ${wordsOf(error)}\n`);
    return 1;
  }
};

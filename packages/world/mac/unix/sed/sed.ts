import { errorMessage } from '../../files/file-system.ts';
import type { Program, Run } from '../../mac.ts';
import { unmodelled } from '../getopt.ts';
import { readOperands, resolve } from '../paths.ts';
import { parseSed, SedError } from './parse-sed.ts';
import { runSed } from './run-sed.ts';

interface SedCall {
  readonly scripts: readonly string[];
  readonly paths: readonly string[];
  readonly quiet: boolean;
  readonly extended: boolean;
  /** Suffix of the backup that -i keeps; empty for none, undefined without -i. */
  readonly inPlace: string | undefined;
}

/** BSD sed: `-i` always takes a suffix (`-i ''` for none), so GNU's bare `-i` consumes the next argument. */
export const sed: Program = async run => {
  const call = readCall(run);
  if (typeof call === 'number') return call;
  try {
    const commands = parseSed(call.scripts.join('\n'), call.extended);
    if (call.inPlace !== undefined) return editInPlace(run, call, text => runSed(commands, text, call.quiet));
    const { texts, failed } = await readOperands(run, call.paths);
    run.out(runSed(commands, texts.map(({ content }) => content.toString()).join(''), call.quiet));
    return failed ? 1 : 0;
  } catch (error) {
    if (!(error instanceof SedError)) throw error;
    if (error.unmodelled) unmodelled(run);
    run.err(`sed: 1: "${call.scripts.join('\n')}": ${error.message}\n`);
    return 1;
  }
};

const FLAG = /^-([nEru]*)(?:([ie])([\s\S]*))?$/;

function readCall(run: Run): SedCall | number {
  const words = run.argv.slice(1);
  const scripts: string[] = [];
  let letters = '';
  let inPlace: string | undefined;
  for (let word = words[0]; word?.startsWith('-') === true && word !== '-'; word = words[0]) {
    words.shift();
    if (word === '--') break;
    const found = FLAG.exec(word);
    if (!found) return refuse(run, word);
    const [, plain = '', withValue, attached] = found;
    letters += plain;
    if (withValue === undefined) continue;
    const value = attached || (words.shift() ?? '');
    if (withValue === 'e') scripts.push(value);
    else inPlace = value;
  }
  if (scripts.length === 0) scripts.push(words.shift() ?? '');
  return { scripts, paths: words, quiet: letters.includes('n'), extended: /[Er]/.test(letters), inPlace };
}

function refuse(run: Run, flag: string): number {
  unmodelled(run);
  run.err(`sed: illegal option -- ${flag.charAt(1)}\nusage: sed script [-EHalnru] [-i extension] [file ...]\n`);
  return 1;
}

/** Writes a new file and renames it: the inode changes, and a backup with the suffix keeps the old text. */
function editInPlace(run: Run, { paths, inPlace }: SedCall, edit: (text: string) => string): number {
  const { files } = run.mac;
  for (const given of paths) {
    const path = resolve(run, given);
    try {
      const { mode, uid, gid } = files.stat(run.user, path);
      const before = files.read(run.user, path);
      const temporary = `${path}.!sed`;
      files.write(run.user, temporary, edit(before.toString()), { mode });
      if (run.user.uid === 0) files.chown(run.user, temporary, uid, gid);
      if (inPlace) files.write(run.user, `${path}${inPlace}`, before, { mode });
      files.rename(run.user, temporary, path);
    } catch (error) {
      run.err(`sed: ${given}: ${errorMessage(error)}\n`);
      return 1;
    }
  }
  return 0;
}

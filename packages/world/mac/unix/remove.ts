import { fileError } from '../files/file-error.ts';
import { FileError } from '../files/file-system.ts';
import type { Program } from '../program.ts';
import { parseOptions } from './options.ts';
import { forEachPath, statOf } from './paths.ts';

export const rm: Program = run => {
  const options = parseOptions(run, { letters: 'fRrdivPW', usage: 'rm [-f | -i] [-dIPRrvWx] file ...', usageCode: 64 });
  if (typeof options === 'number') return options;
  const recursive = options.has('r') || options.has('R');
  if (options.operands.length === 0 && !options.has('f')) {
    run.err('usage: rm [-f | -i] [-dIPRrvWx] file ...\n       unlink [--] file\n');
    return 64;
  }
  return forEachPath(run, options.operands, (path, given) => {
    const stat = statOf(run, given, false);
    if (!stat && options.has('f')) return;
    if (stat?.type === 'directory' && !recursive && !options.has('d'))
      throw new FileError('EISDIR', path, 'is a directory');
    run.mac.files.remove(run.user, path, { recursive });
    if (options.has('v')) run.out(`${given}\n`);
  });
};

export const rmdir: Program = run => {
  const options = parseOptions(run, { letters: 'pv', usage: 'rmdir [-pv] directory ...', usageCode: 64 });
  if (typeof options === 'number') return options;
  return forEachPath(run, options.operands, (path, given) => {
    if (statOf(run, given, false)?.type === 'file') throw fileError('ENOTDIR', path);
    run.mac.files.remove(run.user, path);
  });
};

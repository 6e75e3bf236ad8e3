import { errorMessage, FileError, fileError } from '../files/file-system.ts';
import type { Program, Run } from '../mac.ts';
import { nameOf, type ParsedOptions, parseOptions } from './getopt.ts';
import { forEachPath, isDirectory, lastName, readOperand, resolve, statOf } from './paths.ts';

/** Returns each source and its target: inside the last operand if that is a directory. */
export function targetsOf(
  run: Run,
  operands: readonly string[],
): { readonly from: string; readonly to: string }[] | undefined {
  const to = operands.at(-1);
  const sources = operands.slice(0, -1);
  if (to === undefined || sources.length === 0) return undefined;
  if (isDirectory(run, to)) return sources.map(from => ({ from, to: `${to.replace(/\/+$/, '')}/${lastName(from)}` }));
  return sources.length === 1 && sources[0] !== undefined ? [{ from: sources[0], to }] : undefined;
}

/** Processes the targets and prints each failure with the path the system named. */
async function each(
  run: Run,
  options: ParsedOptions,
  act: (from: string, to: string) => Promise<void> | void,
): Promise<number> {
  const targets = targetsOf(run, options.operands);
  if (!targets) {
    run.err(`usage: ${nameOf(run)} [-f | -i | -n] source_file target_file\n`);
    return 64;
  }
  let failed = 0;
  for (const { from, to } of targets) {
    try {
      await act(from, to);
    } catch (error) {
      const words = errorMessage(error);
      run.err(
        nameOf(run) === 'mv'
          ? `mv: rename ${from} to ${to}: ${words}\n`
          : `cp: ${statOf(run, from) ? to : from}: ${words}\n`,
      );
      failed = 1;
    }
  }
  return failed;
}

export const cp: Program = run => {
  const options = parseOptions(run, {
    letters: 'RrpafcHLPnX',
    usage: 'cp [-R [-H | -L | -P]] [-fi | -n] [-apvXc] source_file target_file',
  });
  if (typeof options === 'number') return options;
  const recursive = options.has('R') || options.has('r') || options.has('a');
  return each(run, options, async (from, to) => {
    if (isDirectory(run, from) && !recursive) {
      run.err(`cp: ${from} is a directory (not copied).\n`);
      return;
    }
    await copy(run, { from, to, keep: options.has('p') || options.has('a'), recursive });
  });
};

interface CopyRequest {
  readonly from: string;
  readonly to: string;
  /** Also copies owner, mode and time. */
  readonly keep: boolean;
  readonly recursive: boolean;
}

/** Copying onto an existing file changes its content and keeps its inode, which breaks code signing (I19). */
async function copy(run: Run, { from, to, keep, recursive }: CopyRequest): Promise<void> {
  const { files } = run.mac;
  const target = resolve(run, to);
  const stat =
    from === '/dev/stdin' ? undefined : files.stat(run.user, resolve(run, from), { followLinks: !recursive });
  if (stat?.type === 'directory') {
    if (!statOf(run, to)) files.makeDirectory(run.user, target, { mode: stat.mode });
    for (const name of files.list(run.user, resolve(run, from)))
      await copy(run, { from: `${from}/${name}`, to: `${to}/${name}`, keep, recursive });
  } else if (stat?.type === 'link') files.link(run.user, files.readLink(run.user, resolve(run, from)), target);
  else files.write(run.user, target, await readOperand(run, from), { mode: (stat?.mode ?? 0o644) & ~0o022 });
  if (!keep || !stat || stat.type === 'link') return;
  files.chmod(run.user, target, stat.mode);
  if (run.user.uid === 0) files.chown(run.user, target, stat.uid, stat.gid);
  files.setModified(run.user, target, stat.modified);
}

export const mv: Program = run => {
  const options = parseOptions(run, { letters: 'finvh', usage: 'mv [-f | -i | -n] [-hv] source target' });
  if (typeof options === 'number') return options;
  const [, last = ''] = options.operands;
  // -h: replaces a link to a directory itself, atomically, instead of moving into the directory.
  const place = options.has('h') && statOf(run, last, false)?.type === 'link' ? last : undefined;
  return each(run, options, (from, into) => {
    const to = place ?? into;
    if (options.has('n') && statOf(run, to)) return;
    run.mac.files.rename(run.user, resolve(run, from), resolve(run, to));
  });
};

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

import { errorMessage } from '../files/file-system.ts';
import type { Program, Run } from '../mac.ts';
import { patternToRegExp } from '../shell/pattern.ts';
import { refuseForm } from './getopt.ts';
import { lastName, resolve, statOf } from './paths.ts';

interface FindCriteria {
  readonly name: RegExp | undefined;
  readonly type: string | undefined;
  readonly most: number;
  readonly least: number;
  readonly remove: boolean;
  readonly separator: string;
}

const TYPES: Readonly<Record<string, string>> = { f: 'file', d: 'directory', l: 'link' };

/** find with -name, -type, -maxdepth, -mindepth, -print, -print0 and -delete. */
export const find: Program = run => {
  const words = run.argv.slice(1);
  const roots: string[] = [];
  while (words[0] !== undefined && !words[0].startsWith('-')) roots.push(words.shift() ?? '');
  const search = readSearch(words);
  if (!search) return refuseForm(run, `${words.join(' ')}: unknown primary or operator`);
  let failed = 0;
  for (const root of roots) {
    if (statOf(run, root, false)) {
      visit(run, search, { path: root, depth: 0 });
      continue;
    }
    run.err(`find: ${root}: No such file or directory\n`);
    failed = 1;
  }
  return failed;
};

type FindPrimary = (value: string) => Partial<FindCriteria>;

/** Primaries with a value, and those without. */
const WITH_VALUE: Readonly<Record<string, FindPrimary>> = {
  '-name': value => ({ name: patternToRegExp(value, { acrossSlashes: false }) }),
  '-type': value => ({ type: TYPES[value] ?? 'none' }),
  '-maxdepth': value => ({ most: Number(value) }),
  '-mindepth': value => ({ least: Number(value) }),
};
const ALONE: Readonly<Record<string, Partial<FindCriteria>>> = {
  '-delete': { remove: true },
  '-print0': { separator: '\0' },
  '-print': {},
};

function readSearch(words: string[]): FindCriteria | undefined {
  let search: FindCriteria = {
    name: undefined,
    type: undefined,
    most: Number.POSITIVE_INFINITY,
    least: 0,
    remove: false,
    separator: '\n',
  };
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const change = WITH_VALUE[word]?.(words.shift() ?? '') ?? ALONE[word];
    if (!change) return undefined;
    search = { ...search, ...change };
  }
  return search;
}

function visit(
  run: Run,
  search: FindCriteria,
  { path, depth }: { readonly path: string; readonly depth: number },
): void {
  const stat = statOf(run, path, false);
  if (!stat) return;
  const fits =
    depth >= search.least &&
    (!search.name || search.name.test(lastName(path))) &&
    (!search.type || search.type === stat.type);
  // Deletion is depth-first.
  if (fits && !search.remove) run.out(`${path}${search.separator}`);
  try {
    if (stat.type === 'directory' && depth < search.most)
      for (const name of run.mac.files.list(run.user, resolve(run, path)))
        visit(run, search, { path: `${path.replace(/\/$/, '')}/${name}`, depth: depth + 1 });
    if (fits && search.remove) run.mac.files.remove(run.user, resolve(run, path));
  } catch (error) {
    run.err(`find: ${path}: ${errorMessage(error)}\n`);
  }
}

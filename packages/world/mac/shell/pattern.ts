import type { ShellState } from './shell-state.ts';
import { absolute } from './shell-state.ts';

/** In a pattern, a backslash makes the next character literal. */
export const escapePattern = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&');

export const unescapePattern = (pattern: string): string => pattern.replace(/\\([\s\S])/g, '$1');

export const isPattern = (pattern: string): boolean => /(?:^|[^\\])(?:\\\\)*(?:[*?]|\[.+\])/.test(pattern);

/** Converts a pattern to a regular expression; `acrossSlashes` is for `case`, not for file names. */
export function patternToRegExp(pattern: string, options: { readonly acrossSlashes: boolean }): RegExp {
  return new RegExp(`^${patternSource(pattern, options.acrossSlashes ? '[\\s\\S]' : '[^/]')}$`);
}

export function patternSource(pattern: string, any: string): string {
  return pattern.replace(/\\[\s\S]|\[[!^]?\]?[^\]]*\]|[\s\S]/g, piece => {
    if (piece === '*') return `${any}*`;
    if (piece === '?') return any;
    if (piece.length > 1 && piece.startsWith('[')) return setSource(piece.slice(1, -1));
    return RegExp.escape(piece.length > 1 ? piece.slice(1) : piece);
  });
}

function setSource(set: string): string {
  const negated = /^[!^]/.test(set);
  return `[${negated ? '^' : ''}${(negated ? set.slice(1) : set).replace(/[\\\]]/g, '\\$&')}]`;
}

/** Returns the sorted paths that match a pattern; empty if there are none. Hidden names match only an explicit dot. */
export function matchPaths(state: ShellState, pattern: string): string[] {
  const names = pattern.split('/');
  let found = [pattern.startsWith('/') ? '' : undefined];
  for (const [index, name] of names.entries()) {
    if (name === '' && index === 0) continue;
    const last = index === names.length - 1;
    found = found.flatMap(parent => matchName(state, { parent, name, last }));
  }
  return found.filter(path => path !== undefined).sort();
}

interface NameInDirectory {
  readonly parent: string | undefined;
  readonly name: string;
  readonly last: boolean;
}

function matchName(state: ShellState, { parent, name, last }: NameInDirectory): string[] {
  const join = (child: string): string => (parent === undefined ? child : `${parent}/${child}`);
  const { files } = state.mac;
  if (!isPattern(name)) {
    const path = join(unescapePattern(name));
    return name === '' || files.exists(state.user, absolute(state, path)) ? [path] : [];
  }
  const expression = patternToRegExp(name, { acrossSlashes: false });
  try {
    return files
      .list(state.user, absolute(state, parent === undefined ? '.' : parent || '/'))
      .filter(child => expression.test(child) && (name.startsWith('.') || !child.startsWith('.')))
      .map(join)
      .filter(path => last || files.exists(state.user, `${absolute(state, path)}/.`));
  } catch {
    return [];
  }
}

/**
 * Our lines in /etc/zshenv, the only file a zsh reads that is neither a login shell nor interactive. Everything else in
 * it is somebody else's and is kept to the byte.
 */
export const BEGIN = '# BEGIN minifleet.build-cache';
export const END = '# END minifleet.build-cache';

export interface Export {
  readonly variable: string;
  readonly directory: string;
}

const BLOCK = new RegExp(`^${BEGIN}\\n(?:(?!${BEGIN}$|${END}$).*\\n)*${END}(?:\\n|$)`, 'gm');
/** Half a block, which someone left: only the mark itself is ours for certain. */
const STRAY_MARK = new RegExp(`^(?:${BEGIN}|${END})(?:\\n|$)`, 'gm');

/** `export NAME=…` or `NAME=…` on a line of its own, as a script without marks appended it. */
const lineOf = (variable: string): RegExp => new RegExp(`^[ \\t]*(?:export[ \\t]+)?${variable}=.*(?:\\n|$)`, 'gm');

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

export const exportLine = ({ variable, directory }: Export): string =>
  `export ${variable}=${/^[\w./-]+$/.test(directory) ? directory : `'${directory.replaceAll("'", `'\\''`)}'`}`;

const blockOf = (wanted: Export): string => `${BEGIN}\n${exportLine(wanted)}\n${END}\n`;

/** Takes out our block in every form it may have, and every other line that sets the variable. */
export const withoutExport = (text: string, variable: string): string =>
  text.replace(BLOCK, '').replace(STRAY_MARK, '').replace(lineOf(variable), '');

/** With our block exactly once. It stands first: whatever follows, a last line without an end included, stays as it is. */
export const withExport = (text: string, wanted: Export): string =>
  isExact(text, wanted) ? text : `${blockOf(wanted)}${withoutExport(text, wanted.variable)}`;

const isExact = (text: string, wanted: Export): boolean => exportDifferences(text, wanted).length === 0;

/** How the file differs from holding our block exactly once, in words. */
export function exportDifferences(text: string, wanted: Export): string[] {
  const blocks = text.match(BLOCK) ?? [];
  const rest = text.replace(BLOCK, '');
  const unmarked = countOf(rest, lineOf(wanted.variable));
  const [only] = blocks;
  return [
    ...(blocks.length === 1 ? [] : [`/etc/zshenv holds the block ${times(blocks.length)}, wanted once`]),
    ...(blocks.length === 1 && only !== blockOf(wanted)
      ? [`the block in /etc/zshenv is not the wanted ${exportLine(wanted)}`]
      : []),
    ...(unmarked === 0 ? [] : [`/etc/zshenv sets ${wanted.variable} ${times(unmarked)} outside the block`]),
    ...(countOf(rest, STRAY_MARK) === 0 ? [] : ['/etc/zshenv holds half a block']),
  ];
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** What our block exports, if it is there and readable. */
export function exportIn(text: string): Export | undefined {
  const block = text.match(BLOCK)?.[0] ?? '';
  const found = /^export (\w+)=(?:'([^']*)'|([\w./-]+))$/m.exec(block);
  return found ? { variable: found[1] ?? '', directory: found[2] ?? found[3] ?? '' } : undefined;
}

/** A mode as chmod takes it: octal, or `u+x,go-w` applied to the mode before. Undefined for nonsense. */
export function readMode(text: string | undefined, before: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-7]{1,5}$/.test(text)) return Number.parseInt(text, 8) & 0o7777;
  let mode = before;
  for (const clause of text.split(',')) {
    const found = /^([ugoa]*)([-+=])([rwxXst]*)$/.exec(clause);
    if (!found) return undefined;
    mode = applyClause(mode, found);
  }
  return mode;
}

const CLASSES: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };
const BITS: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111, s: 0o6000, t: 0o1000 };

function applyClause(mode: number, [, who = '', operator, what = '']: readonly string[]): number {
  const classes = Array.from(who || 'a').reduce((sum, letter) => sum | (CLASSES[letter] ?? 0), 0);
  const bits =
    Array.from(what.replace('X', mode & 0o111 ? 'x' : '')).reduce((sum, letter) => sum | (BITS[letter] ?? 0), 0) &
    classes;
  if (operator === '+') return mode | bits;
  return operator === '-' ? mode & ~bits : (mode & ~classes) | bits;
}

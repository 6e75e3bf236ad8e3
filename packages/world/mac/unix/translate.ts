import type { Program } from '../program.ts';
import { parseOptions } from './options.ts';

const CLASSES: Readonly<Record<string, string>> = {
  upper: 'A-Z',
  lower: 'a-z',
  digit: '0-9',
  alpha: 'A-Za-z',
  alnum: 'A-Za-z0-9',
  space: ' \\t\\n\\r',
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', '\\': '\\' };

/** The characters of a set: ranges, classes and escapes written out. */
function charactersOf(set: string): string[] {
  const plain = set.replace(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole);
  const text = plain.replace(/\\([ntr0\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
  const characters: string[] = [];
  for (let index = 0; index < text.length; index++) {
    const from = text.charCodeAt(index);
    if (text[index + 1] === '-' && index + 2 < text.length) {
      const to = text.charCodeAt(index + 2);
      for (let code = from; code <= to; code++) characters.push(String.fromCharCode(code));
      index += 2;
    } else characters.push(String.fromCharCode(from));
  }
  return characters;
}

export const tr: Program = async run => {
  const options = parseOptions(run, { letters: 'dsCcu', usage: 'tr [-Ccsu] string1 string2' });
  if (typeof options === 'number') return options;
  const [first = '', second = ''] = options.operands;
  const from = charactersOf(first);
  const to = charactersOf(second);
  const complement = options.has('c') || options.has('C');
  const isIn = (character: string): boolean => from.includes(character) !== complement;
  const translate = (character: string): string =>
    complement ? (to.at(-1) ?? '') : (to[from.indexOf(character)] ?? to.at(-1) ?? character);
  const squeezed = new Set(to.length > 0 ? to : from);
  let out = '';
  for (const character of (await run.readStdin()).toString('latin1')) {
    if (isIn(character) && options.has('d')) continue;
    const next = isIn(character) && to.length > 0 ? translate(character) : character;
    if (options.has('s') && squeezed.has(next) && out.endsWith(next)) continue;
    out += next;
  }
  run.out(Buffer.from(out, 'latin1'));
  return 0;
};

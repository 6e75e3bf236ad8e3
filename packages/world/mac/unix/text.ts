import { errorMessage } from '../files/file-system.ts';
import type { Program, Run } from '../mac.ts';
import { nameOf, parseOptions, refuseForm } from './getopt.ts';
import { linesOf, readOperand, readOperands, resolve } from './paths.ts';

const CLASSES: Readonly<Record<string, string>> = {
  upper: 'A-Z',
  lower: 'a-z',
  digit: '0-9',
  alpha: 'A-Za-z',
  alnum: 'A-Za-z0-9',
  space: ' \\t\\n\\r',
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', '\\': '\\' };

/** Characters of a set, with ranges, classes and escapes expanded. */
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

const join = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');

/** `-5` is the obsolete form of `-n 5`. */
const oldCount = (argv: readonly string[]): string[] =>
  argv.map((word, index) => (index > 0 && /^-\d+$/.test(word) ? `-n${word.slice(1)}` : word));

export const head: Program = async run => {
  const options = parseOptions(
    { ...run, argv: oldCount(run.argv) },
    { letters: 'n:c:', usage: 'head [-n lines | -c bytes] [file ...]' },
  );
  if (typeof options === 'number') return options;
  const { texts, failed } = await readOperands(run, options.operands);
  for (const { content } of texts) {
    if (options.has('c')) run.out(content.subarray(0, Number(options.value('c'))));
    else run.out(join(linesOf(content).slice(0, Number(options.value('n') ?? 10))));
  }
  return failed ? 1 : 0;
};

export const tail: Program = async run => {
  const options = parseOptions(
    { ...run, argv: oldCount(run.argv) },
    { letters: 'n:c:fF', usage: 'tail [-F | -f | -r] [-q] [-b # | -c # | -n #] [file ...]' },
  );
  if (typeof options === 'number') return options;
  if (options.has('f') || options.has('F')) return refuseForm(run);
  const { texts, failed } = await readOperands(run, options.operands);
  for (const { content } of texts) {
    const count = options.value('c') ?? options.value('n') ?? '10';
    const from = count.startsWith('+') ? Number(count) - 1 : -Math.abs(Number(count));
    if (options.has('c')) run.out(content.subarray(from));
    else run.out(from === 0 && !count.startsWith('+') ? '' : join(linesOf(content).slice(from)));
  }
  return failed ? 1 : 0;
};

export const wc: Program = async run => {
  const options = parseOptions(run, { letters: 'lwcm', usage: 'wc [-clmw] [file ...]' });
  if (typeof options === 'number') return options;
  const { texts, failed } = await readOperands(run, options.operands);
  const asked = ['l', 'w', 'c', 'm'].filter(letter => options.has(letter));
  const columns = asked.length > 0 ? asked : ['l', 'w', 'c'];
  for (const { path, content } of texts) {
    const counts = columns.map(letter => String(count(content, letter)).padStart(8));
    run.out(`${counts.join('')}${path === undefined ? '' : ` ${path}`}\n`);
  }
  return failed ? 1 : 0;
};

function count(content: Buffer, letter: string): number {
  const text = content.toString();
  if (letter === 'l') return text.split('\n').length - 1;
  if (letter === 'w') return text.split(/\s+/).filter(word => word !== '').length;
  return letter === 'm' ? text.length : content.length;
}

export const sort: Program = async run => {
  const options = parseOptions(run, { letters: 'nruVk:t:' });
  if (typeof options === 'number') return options;
  if (options.has('k') || options.has('t') || options.has('V')) return refuseForm(run);
  const { texts, failed } = await readOperands(run, options.operands);
  const lines = texts.flatMap(({ content }) => linesOf(content));
  const plain = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  lines.sort((a, b) =>
    options.has('n') ? (Number.parseFloat(a) || 0) - (Number.parseFloat(b) || 0) || plain(a, b) : plain(a, b),
  );
  if (options.has('r')) lines.reverse();
  run.out(join(options.has('u') ? [...new Set(lines)] : lines));
  return failed ? 2 : 0;
};

export const uniq: Program = async run => {
  const options = parseOptions(run, { letters: 'cdu' });
  if (typeof options === 'number') return options;
  const { texts } = await readOperands(run, options.operands.slice(0, 1));
  const groups: { line: string; count: number }[] = [];
  for (const line of texts.flatMap(({ content }) => linesOf(content))) {
    const last = groups.at(-1);
    if (last?.line === line) last.count += 1;
    else groups.push({ line, count: 1 });
  }
  const kept = groups.filter(({ count }) => (options.has('d') ? count > 1 : options.has('u') ? count === 1 : true));
  run.out(join(kept.map(({ line, count }) => (options.has('c') ? `${String(count).padStart(4)} ${line}` : line))));
  return 0;
};

export const cut: Program = async run => {
  const options = parseOptions(run, { letters: 'd:f:c:s', usage: 'cut -b list [-n] [file ...]' });
  if (typeof options === 'number') return options;
  const list = options.value('f') ?? options.value('c') ?? '';
  const delimiter = options.has('c') ? '' : (options.value('d') ?? '\t');
  const selected = (number: number): boolean =>
    list.split(',').some(range => {
      const [from = '', to = from] = range.split('-');
      return number >= Number(from || 1) && number <= (range.endsWith('-') ? Number.POSITIVE_INFINITY : Number(to));
    });
  const { texts, failed } = await readOperands(run, options.operands);
  for (const line of texts.flatMap(({ content }) => linesOf(content))) {
    if (delimiter !== '' && !line.includes(delimiter)) {
      if (!options.has('s')) run.out(`${line}\n`);
      continue;
    }
    run.out(
      `${line
        .split(delimiter)
        .filter((_, index) => selected(index + 1))
        .join(delimiter)}\n`,
    );
  }
  return failed ? 1 : 0;
};

/** Copies chunk by chunk: an interrupted upload leaves the part that arrived. */
async function copyStdin(run: Run, write: (chunk: Buffer) => void): Promise<void> {
  for (let chunk = await run.stdin.read(); chunk; chunk = await run.stdin.read()) write(chunk);
}

export const cat: Program = async run => {
  const options = parseOptions(run, { letters: 'un', usage: 'cat [-belnstuv] [file ...]' });
  if (typeof options === 'number') return options;
  let failed = 0;
  for (const path of options.operands.length > 0 ? options.operands : ['-']) {
    try {
      if (path === '-') await copyStdin(run, run.out);
      else run.out(await readOperand(run, path));
    } catch (error) {
      run.err(`cat: ${path === '-' ? 'stdout' : path}: ${errorMessage(error)}\n`);
      failed = 1;
    }
  }
  return failed;
};

export const tee: Program = async run => {
  const options = parseOptions(run, { letters: 'ai', usage: 'tee [-ai] [file ...]' });
  if (typeof options === 'number') return options;
  let failed = 0;
  const writers = options.operands.flatMap(path => {
    try {
      const mode = options.has('a') ? 'appending' : 'writing';
      const file = run.mac.files.open(run.user, resolve(run, path), { for: mode, mode: 0o644 });
      return [{ path, file }];
    } catch (error) {
      run.err(`${nameOf(run)}: ${path}: ${errorMessage(error)}\n`);
      failed = 1;
      return [];
    }
  });
  try {
    await copyStdin(run, chunk => {
      run.out(chunk);
      for (const { file } of writers) file.write(chunk);
    });
  } catch (error) {
    run.err(`tee: ${writers[0]?.path ?? ''}: ${errorMessage(error)}\n`);
    failed = 1;
  }
  for (const { file } of writers) file.close();
  return failed;
};

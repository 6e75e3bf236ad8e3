import { basename as last, dirname as parent } from 'node:path/posix';
import type { Program } from '../../mac.ts';
import { formatPrintf } from '../format-printf.ts';
import { evaluateTest } from '../test-expression.ts';

export const basename: Program = run => {
  const [, path = '', suffix = ''] = run.argv;
  run.out(`${last(path, suffix)}\n`);
  return 0;
};

export const dirname: Program = run => {
  for (const path of run.argv.slice(1)) run.out(`${parent(path)}\n`);
  return 0;
};

export const realpath: Program = run => {
  const path = run.argv.at(-1) ?? '.';
  try {
    run.out(`${run.mac.files.realPath(run.user, path.startsWith('/') ? path : `${run.directory}/${path}`)}\n`);
    return 0;
  } catch {
    run.err(`realpath: ${path}: No such file or directory\n`);
    return 1;
  }
};

export const readlink: Program = run => {
  const path = run.argv.at(-1) ?? '';
  if (run.argv.includes('-f')) return realpath(run);
  try {
    run.out(`${run.mac.files.readLink(run.user, path.startsWith('/') ? path : `${run.directory}/${path}`)}\n`);
    return 0;
  } catch {
    return 1;
  }
};

export const echo: Program = run => {
  const words = run.argv.slice(1);
  const newline = words[0] === '-n' ? '' : '\n';
  run.out(`${(newline === '' ? words.slice(1) : words).join(' ')}${newline}`);
  return 0;
};

export const printf: Program = run => {
  const [, format = '', ...values] = run.argv;
  run.out(formatPrintf(format, values));
  return 0;
};

export const test: Program = run => {
  const words = run.argv.slice(1);
  const bracket = run.argv[0]?.endsWith('[');
  if (bracket && words.pop() !== ']') {
    run.err('[: missing ]\n');
    return 2;
  }
  const result = evaluateTest(
    words.map(word => ({ text: word, operator: word, matches: (text: string) => text === word })),
    run,
  );
  if (typeof result === 'boolean') return result ? 0 : 1;
  run.err(`test: ${result}\n`);
  return 2;
};

export const succeed: Program = () => 0;
export const fail: Program = () => 1;

export const logger: Program = run => {
  const words = run.argv.slice(1);
  if (words[0] === '-t') words.splice(0, 2);
  run.mac.around.journal.add(`mac/${run.mac.options.name}`, 'log', words.join(' '));
  return 0;
};

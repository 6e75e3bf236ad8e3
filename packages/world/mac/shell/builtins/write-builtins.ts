import { ESCAPES, formatPrintf } from '../../unix/format-printf.ts';
import { setVariable } from '../change-parameter.ts';
import { type Builtin, complainAs, unmodelledFlag } from './builtins.ts';

const ECHO_ESCAPES: Readonly<Record<string, string>> = { ...ESCAPES, '0': '\0' };

const unescapeText = (text: string): string =>
  text.replace(/\\([ntr\\abe0])/g, (_, letter: string) => ECHO_ESCAPES[letter] ?? '');

/** zsh's echo interprets escapes by default; bash's only with -e. */
export const echo: Builtin = ({ scope, argv }) => {
  const words = argv.slice(1);
  let newline = true;
  let escapes = scope.state.flavour.name === 'zsh';
  while (words[0] !== undefined && /^-[neE]+$/.test(words[0])) {
    const flags = words.shift() ?? '';
    if (flags.includes('n')) newline = false;
    if (flags.includes('e')) escapes = true;
    if (flags.includes('E')) escapes = false;
  }
  const text = words.join(' ');
  scope.streams.out.write(`${escapes ? unescapeText(text) : text}${newline ? '\n' : ''}`);
  return 0;
};

export const print: Builtin = call => {
  const words = call.argv.slice(1);
  const flags = words[0]?.startsWith('-') ? (words.shift() ?? '') : '';
  if (!/^-?[rnl-]*$/.test(flags)) return unmodelledFlag(call, flags);
  const text = words.join(flags.includes('l') ? '\n' : ' ');
  call.scope.streams.out.write(`${flags.includes('r') ? text : unescapeText(text)}${flags.includes('n') ? '' : '\n'}`);
  return 0;
};

export const printf: Builtin = call => {
  const words = call.argv.slice(1).filter((word, index) => !(index === 0 && word === '--'));
  const [format, ...values] = words;
  if (format === undefined) {
    complainAs(call, 'not enough arguments');
    return 1;
  }
  if (format === '-v') return unmodelledFlag(call, '-v');
  call.scope.streams.out.write(formatPrintf(format, values));
  return 0;
};

/** `read [-r] [-s] [name…]`: the last name takes the rest of the line. */
export const read: Builtin = async call => {
  const { state, streams } = call.scope;
  const words = call.argv.slice(1);
  while (words[0]?.startsWith('-')) {
    const flag = words.shift() ?? '';
    if (!/^-[rs]+$/.test(flag)) return unmodelledFlag(call, flag);
  }
  const names = words.length > 0 ? words : ['REPLY'];
  const line = await streams.stdin.readLine();
  let rest = (line ?? '').trim();
  for (const [index, name] of names.entries()) {
    const last = index === names.length - 1;
    const [first = ''] = rest.split(/[ \t]+/, 1);
    setVariable(state, name, last ? rest : first);
    rest = rest.slice(first.length).trimStart();
  }
  return line === undefined ? 1 : 0;
};

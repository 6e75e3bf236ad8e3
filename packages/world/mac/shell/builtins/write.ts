import { ESCAPES, formatPrintf } from '../../unix/format-printf.ts';
import { type Builtin, complainAs, unmodelledFlag } from './call.ts';

const ECHO_ESCAPES: Readonly<Record<string, string>> = { ...ESCAPES, '0': '\0' };

const unescapeText = (text: string): string =>
  text.replace(/\\([ntr\\abe0])/g, (_, letter: string) => ECHO_ESCAPES[letter] ?? '');

/** zsh's echo interprets escapes unless told not to; bash's only with -e. */
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

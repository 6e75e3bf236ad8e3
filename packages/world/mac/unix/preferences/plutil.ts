import { wordsOf } from '../../files/file-error.ts';
import { FileError } from '../../files/file-system.ts';
import type { Program, Run } from '../../program.ts';
import { refuseForm } from '../options.ts';
import { readOperand, resolve } from '../paths.ts';
import { printValue } from './describe-value.ts';
import { getAt, setAt } from './key-path.ts';
import { PlistError, type PlistValue, readPlist, writePlist } from './property-list.ts';

/** plutil -lint, -p, -extract, -replace, -insert, -remove, -convert; on XML and JSON. */
export const plutil: Program = async run => {
  const words = run.argv.slice(1);
  const [action] = words;
  const output = words.indexOf('-o');
  const target = output >= 0 ? words.splice(output, 2)[1] : undefined;
  const path = words.at(-1) ?? '';
  try {
    const value = parse((await readOperand(run, path)).toString());
    return act(run, { action: action ?? '', words: words.slice(1, -1), path, target, value });
  } catch (error) {
    if (error instanceof PlistError) run.err(`${path}: ${error.message}\n`);
    else if (error instanceof FileError)
      run.err(`${path}: file does not exist or is not readable or is not a regular file (${wordsOf(error)})\n`);
    else throw error;
    return 1;
  }
};

function parse(text: string): PlistValue {
  if (!/^\s*[{[]/.test(text)) return readPlist(text);
  try {
    return JSON.parse(text) as PlistValue;
  } catch {
    throw new PlistError('Property List error: Unexpected character { at line 1');
  }
}

interface Work {
  readonly action: string;
  readonly words: readonly string[];
  readonly path: string;
  readonly target: string | undefined;
  readonly value: PlistValue;
}

function act(run: Run, { action, words, path, target, value }: Work): number {
  const save = (changed: string): number => {
    if ((target ?? path) === '-') run.out(changed);
    else run.mac.files.write(run.user, resolve(run, target ?? path), changed);
    return 0;
  };
  const [first = '', second = '', third = ''] = words;
  switch (action) {
    case '-lint':
      run.out(`${path === '-' ? '<stdin>' : path}: OK\n`);
      return 0;
    case '-p':
      run.out(`${printValue(value)}\n`);
      return 0;
    case '-convert':
      return first === 'xml1' || first === 'json'
        ? save(first === 'json' ? JSON.stringify(value) : writePlist(value))
        : refuseForm(run);
    case '-extract':
      return extract(run, value, { key: first, format: second, path, target, save });
    case '-remove':
      return save(writePlist(setAt(value, first, undefined)));
    case '-replace':
    case '-insert': {
      const typed = typedValue(second, third);
      return typed === undefined ? refuseForm(run) : save(writePlist(setAt(value, first, typed)));
    }
    default:
      return refuseForm(run, `Unrecognized option: ${action}`);
  }
}

interface Extraction {
  readonly key: string;
  readonly format: string;
  readonly path: string;
  readonly target: string | undefined;
  readonly save: (text: string) => number;
}

/** Without -o the value takes the place of the whole file, as other changes do; only `raw` is printed then. */
function extract(run: Run, value: PlistValue, { key, format, path, target, save }: Extraction): number {
  const found = getAt(value, key);
  if (found === undefined) {
    run.err(
      `${path === '-' ? '<stdin>' : path}: Could not extract value, error: No value at that key path or invalid key path: ${key}\n`,
    );
    return 1;
  }
  if (format === 'json') return save(JSON.stringify(found));
  if (format === 'xml1') return save(writePlist(found));
  if (format !== 'raw') return refuseForm(run);
  if (target !== undefined) return save(`${raw(found)}\n`);
  run.out(`${raw(found)}\n`);
  return 0;
}

/** Raw: an array is its count, a dictionary its keys. */
function raw(value: PlistValue): string {
  if (Array.isArray(value)) return String(value.length);
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? Object.keys(value).sort().join('\n') : String(value);
}

function typedValue(type: string, text: string): PlistValue | undefined {
  if (type === '-string') return text;
  if (type === '-integer') return Number.parseInt(text, 10);
  if (type === '-float') return Number(text);
  if (type === '-bool') return /^(true|yes|1)$/i.test(text);
  if (type === '-json') return JSON.parse(text) as PlistValue;
  return type === '-xml' ? readPlist(`<plist>${text}</plist>`) : undefined;
}

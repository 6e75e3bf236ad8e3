import { errorMessage, FileError } from '../../files/file-system.ts';
import type { Program, Run } from '../../mac.ts';
import { refuseForm } from '../getopt.ts';
import { readOperand, resolve } from '../paths.ts';
import { printValue } from './defaults.ts';
import { isDictionary, PlistError, type PlistValue, readPlist, writePlist } from './property-list.ts';

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
      run.err(`${path}: file does not exist or is not readable or is not a regular file (${errorMessage(error)})\n`);
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

interface PlutilCall {
  readonly action: string;
  readonly words: readonly string[];
  readonly path: string;
  readonly target: string | undefined;
  readonly value: PlistValue;
}

function act(run: Run, { action, words, path, target, value }: PlutilCall): number {
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

interface PlistExtraction {
  readonly key: string;
  readonly format: string;
  readonly path: string;
  readonly target: string | undefined;
  readonly save: (text: string) => number;
}

/** Without -o, the value replaces the whole file, like other changes; only `raw` is printed then. */
function extract(run: Run, value: PlistValue, { key, format, path, target, save }: PlistExtraction): number {
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

/** Raw format: an array is its count, a dictionary its keys. */
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

/** `a.b.0`: a dot in a key is escaped with a backslash. */
const namesOf = (path: string): string[] => path.split(/(?<!\\)\./).map(name => name.replaceAll('\\.', '.'));

function getAt(value: PlistValue, path: string): PlistValue | undefined {
  let current: PlistValue | undefined = value;
  for (const name of namesOf(path))
    current = Array.isArray(current) ? current[Number(name)] : isDictionary(current) ? current[name] : undefined;
  return current;
}

/** Returns a copy with the value at the path replaced or added, or removed if undefined. */
function setAt(value: PlistValue, path: string, change: PlistValue | undefined): PlistValue {
  return setIn(value, namesOf(path), change);
}

function setIn(value: PlistValue, [name, ...rest]: readonly string[], change: PlistValue | undefined): PlistValue {
  if (name === undefined) return change ?? value;
  if (Array.isArray(value)) return setInArray(value, Number(name), { rest, change });
  if (!isDictionary(value)) throw new PlistError(`Could not modify plist, error: no value at key path ${name}`);
  const { [name]: before, ...others } = value;
  if (rest.length > 0) return { ...value, [name]: setIn(before ?? {}, rest, change) };
  return change === undefined ? others : { ...value, [name]: change };
}

interface PlistPathChange {
  readonly rest: readonly string[];
  readonly change: PlistValue | undefined;
}

function setInArray(value: readonly PlistValue[], index: number, { rest, change }: PlistPathChange): PlistValue {
  if (rest.length === 0) return change === undefined ? value.toSpliced(index, 1) : value.toSpliced(index, 1, change);
  return value.toSpliced(index, 1, setIn(value[index] ?? {}, rest, change));
}

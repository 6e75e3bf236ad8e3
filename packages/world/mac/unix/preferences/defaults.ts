import { FileError } from '../../files/file-system.ts';
import type { Mac, Program, Run, User } from '../../mac.ts';
import { refuseForm } from '../getopt.ts';
import { isDictionary, type PlistValue, readPlist, writePlist } from './property-list.ts';

/** defaults read, write, delete and read-type, on real property lists in the Mac's files. */
export const defaults: Program = run => {
  const [, action, domain, key, ...rest] = run.argv;
  if (domain === undefined) return refuseForm(run, "Command line interface to a user's defaults.");
  if (action === 'read') return read(run, domain, key);
  if (action === 'read-type' && key !== undefined) return readType(run, domain, key);
  if (action === 'delete') return remove(run, domain, key);
  if (action === 'write' && key !== undefined) return write(run, { domain, key, words: rest });
  return refuseForm(run);
};

const stamp = (run: Run): string =>
  `${new Date(run.mac.around.clock.now()).toISOString().replace('T', ' ').slice(0, 23)} defaults[${501}:${1000}] `;

function missing(run: Run, domain: string, key: string | undefined): number {
  const path = preferencesPath(run.user, domain);
  run.err(
    key === undefined
      ? `${stamp(run)}\nDomain ${domain} does not exist\n`
      : `${stamp(run)}\nThe domain/default pair of (${domain.startsWith('/') ? path.replace(/\.plist$/, '') : domain}, ${key}) does not exist\n`,
  );
  return 1;
}

function read(run: Run, domain: string, key: string | undefined): number {
  const values = readPreferences(run.mac, run.user, domain);
  if (key === undefined) {
    if (Object.keys(values).length === 0) return missing(run, domain, key);
    run.out(`${describeValue(values)}\n`);
    return 0;
  }
  const value = values[key];
  if (value === undefined) return missing(run, domain, key);
  run.out(`${describeValue(value)}\n`);
  return 0;
}

function readType(run: Run, domain: string, key: string): number {
  const value = readPreferences(run.mac, run.user, domain)[key];
  if (value === undefined) return missing(run, domain, key);
  const type = Array.isArray(value)
    ? 'array'
    : isDictionary(value)
      ? 'dictionary'
      : Buffer.isBuffer(value)
        ? 'data'
        : typeof value === 'number'
          ? 'integer'
          : typeof value;
  run.out(`Type is ${type}\n`);
  return 0;
}

function remove(run: Run, domain: string, key: string | undefined): number {
  const values = readPreferences(run.mac, run.user, domain);
  if (key !== undefined && values[key] === undefined) return missing(run, domain, key);
  if (key === undefined && Object.keys(values).length === 0) return missing(run, domain, key);
  if (key !== undefined) delete values[key];
  return store(run, domain, key === undefined ? {} : values);
}

function store(run: Run, domain: string, values: Readonly<Record<string, PlistValue>>): number {
  if (writePreferences(run.mac, run.user, domain, values)) return 0;
  run.err(
    `${stamp(run)}Could not write domain ${preferencesPath(run.user, domain).replace(/\.plist$/, '')}; exiting\n`,
  );
  return 1;
}

interface DefaultsWrite {
  readonly domain: string;
  readonly key: string;
  readonly words: readonly string[];
}

function write(run: Run, { domain, key, words }: DefaultsWrite): number {
  const values = readPreferences(run.mac, run.user, domain);
  const value = typedValue(words, values[key]);
  if (value === undefined) return refuseForm(run, 'Rep argument is not a dictionary\nDefaults have not been changed.');
  return store(run, domain, { ...values, [key]: value });
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  YES: true,
  TRUE: true,
  '1': true,
  false: false,
  no: false,
  NO: false,
  FALSE: false,
  '0': false,
};

/** Value of a command line; without a type it is a string. Undefined if it cannot be parsed. */
function typedValue(words: readonly string[], before: PlistValue | undefined): PlistValue | undefined {
  const [type = '', ...rest] = words;
  const [first] = rest;
  if (!type.startsWith('-') || /^-\d/.test(type)) return words.length === 1 ? type : undefined;
  switch (type) {
    case '-string':
      return first ?? '';
    case '-int':
    case '-integer':
      return Number.parseInt(first ?? '', 10) || 0;
    case '-float':
      return Number(first);
    case '-bool':
    case '-boolean':
      return BOOLEANS[first ?? ''];
    case '-data':
      return Buffer.from(first ?? '', 'hex');
    case '-array':
      return rest;
    case '-array-add':
      return [...(Array.isArray(before) ? before : []), ...rest];
    case '-dict':
    case '-dict-add':
      return dictionary(rest, type === '-dict-add' && isDictionary(before) ? before : {});
    default:
      return undefined;
  }
}

function dictionary(words: readonly string[], before: Readonly<Record<string, PlistValue>>): PlistValue | undefined {
  const result: Record<string, PlistValue> = { ...before };
  const left = [...words];
  while (left.length > 0) {
    const key = left.shift() ?? '';
    const typed = left[0]?.startsWith('-') ? typedValue(left.splice(0, 2), undefined) : left.shift();
    if (typed === undefined) return undefined;
    result[key] = typed;
  }
  return result;
}

const quoted = (text: string): string => (/^[A-Za-z0-9_.]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`);

/** Old-style text that `defaults read` prints: booleans are 1 and 0, a single string is not quoted. */
function describeValue(value: PlistValue, indent = '', inner = false): string {
  if (typeof value === 'string') return inner ? quoted(value) : value;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return String(value);
  if (Buffer.isBuffer(value)) return `{length = ${value.length}, bytes = 0x${value.toString('hex')}}`;
  if (value instanceof Date) return value.toISOString();
  const deeper = `${indent}    `;
  if (isDictionary(value)) {
    const lines = Object.keys(value)
      .sort()
      .map(key => `${deeper}${quoted(key)} = ${describeValue(value[key] ?? '', deeper, true)};\n`);
    return `{\n${lines.join('')}${indent}}`;
  }
  return `(\n${value.map(item => `${deeper}${describeValue(item, deeper, true)}`).join(',\n')}\n${indent})`;
}

/** Output of `plutil -p`. */
export function printValue(value: PlistValue, indent = ''): string {
  const deeper = `${indent}  `;
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value))
    return `[\n${value.map((item, index) => `${deeper}${index} => ${printValue(item, deeper)}\n`).join('')}${indent}]`;
  if (isDictionary(value))
    return `{\n${Object.keys(value)
      .sort()
      .map(key => `${deeper}"${key}" => ${printValue(value[key] ?? '', deeper)}\n`)
      .join('')}${indent}}`;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return describeValue(value, indent, true);
}

/** File of a domain: a path as given, a name below the caller's own Library, root's below /var/root. */
function preferencesPath(user: User, domain: string): string {
  if (domain.startsWith('/')) return domain.endsWith('.plist') ? domain : `${domain}.plist`;
  const name =
    domain === '-g' || domain === 'NSGlobalDomain' || domain === '-globalDomain' ? '.GlobalPreferences' : domain;
  return `${user.home}/Library/Preferences/${name}.plist`;
}

/** Empty if there is no such file; an unreadable file also counts as missing, as with cfprefsd. */
export function readPreferences(mac: Mac, user: User, domain: string): Record<string, PlistValue> {
  try {
    const value = readPlist(mac.files.read(user, preferencesPath(user, domain)).toString());
    return isDictionary(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** False if the caller may not write there. */
function writePreferences(mac: Mac, user: User, domain: string, values: Readonly<Record<string, PlistValue>>): boolean {
  const path = preferencesPath(user, domain);
  try {
    // cfprefsd replaces the file: it has a new inode and belongs to the caller.
    mac.files.write(user, `${path}.new`, writePlist(values), { mode: path.startsWith('/Library/') ? 0o644 : 0o600 });
    mac.files.rename(user, `${path}.new`, path);
    return true;
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}

import { parseArgs } from 'node:util';
import { type Duration, parseDuration } from '@minifleet/clock';
import type { ObjectKey } from '../object.ts';
import { LOG_LEVELS, type LogLevel } from '../observe/log.ts';

/** Address that a program listens on. */
interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** Parses the text of a flag. Throws `invalid(problem)`; the error message puts the flag and its text before the problem. */
type ParseFlag<T> = (text: string, invalid: (problem: string) => Error) => T;

/** One flag of a program. The parsed value, the help text and the reference table come from it. */
export interface Flag<T> {
  readonly name: string;
  /** Placeholder of the value in the help text. A flag without one is a switch. */
  readonly value: string | undefined;
  /** Text that is parsed if the flag is absent. */
  readonly default: string | undefined;
  /** Default as the help text shows it. */
  readonly shownDefault: string | undefined;
  readonly help: string;
  readonly parse: ParseFlag<T>;
}

interface FlagGroup {
  readonly [key: string]: Flag<unknown> | FlagGroup;
}

/** Values of a declaration's flags, in the groups of the declaration. */
export type ParsedFlags<G extends FlagGroup> = {
  readonly [K in keyof G]: G[K] extends Flag<infer T> ? T : G[K] extends FlagGroup ? ParsedFlags<G[K]> : never;
};

interface FlagOptions {
  readonly help: string;
  /** Placeholder of the value, if the one of the type is too general. */
  readonly value?: string;
  /** Default as the help text shows it, if it is not the text of the default. */
  readonly unset?: string;
}

interface DefaultedFlagOptions extends FlagOptions {
  readonly default: string;
}

interface FlagType<T> {
  (name: string, options: DefaultedFlagOptions): Flag<T>;
  /** Without a default, an absent or empty flag is undefined. */
  (name: string, options: FlagOptions): Flag<T | undefined>;
}

/** Declares a type of flags. */
export function flagType<T>(value: string, parse: ParseFlag<T>): FlagType<T> {
  function declare(name: string, options: DefaultedFlagOptions): Flag<T>;
  function declare(name: string, options: FlagOptions): Flag<T | undefined>;
  function declare(name: string, options: FlagOptions & Partial<DefaultedFlagOptions>): Flag<T | undefined> {
    const given = options.default;
    return {
      name,
      value: options.value ?? value,
      default: given,
      shownDefault: options.unset ?? given,
      help: options.help,
      parse: given === undefined ? (text, invalid) => (text === '' ? undefined : parse(text, invalid)) : parse,
    };
  }
  return declare;
}

export const parseCount: ParseFlag<number> = (text, invalid) => {
  if (!/^\d+$/.test(text)) throw invalid('is not a whole number');
  return Number(text);
};

/** Types of flags that every program uses. */
export const flag = {
  text: flagType('text', text => text),
  count: flagType('count', parseCount),
  /** A count of at least 1. */
  positive: flagType('count', (text, invalid) => {
    const number = parseCount(text, invalid);
    if (number < 1) throw invalid('is less than 1');
    return number;
  }),
  /** In the format of Go: `90s`, `30m`, `1h30m`. */
  duration: flagType('duration', (text, invalid): Duration => {
    const duration = parseDuration(text);
    if (duration === undefined) throw invalid('is not a duration such as 90s, 30m or 1h');
    return duration;
  }),
  address: flagType('host:port', (text, invalid): BindAddress => {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(text) ?? [];
    if (port === '') throw invalid('is not an address such as 0.0.0.0:8080');
    return { host: host === '' ? '0.0.0.0' : host, port: Number(port) };
  }),
  objectName: flagType('namespace/name', (text, invalid): Required<ObjectKey> => {
    const [namespace = '', name = '', ...more] = text.split('/');
    if (namespace === '' || name === '' || more.length > 0) throw invalid('is not <namespace>/<name>');
    return { namespace, name };
  }),
  /** Comma-separated names. */
  list: flagType('name,…', (text): readonly string[] => text.split(',').filter(name => name !== '')),
  url: flagType('url', (text, invalid): string => {
    if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) throw invalid('is not an address such as https://…');
    return text;
  }),
  logLevel: flagType('level', (text, invalid): LogLevel => {
    const level = LOG_LEVELS.find(each => each === text);
    if (!level) throw invalid(`is none of ${LOG_LEVELS.join(', ')}`);
    return level;
  }),
  /** On if given. It takes no value. */
  switch: (name: string, help: string): Flag<boolean> => ({
    ...{ name, value: undefined, default: undefined, shownDefault: undefined, help },
    parse: text => text === 'true',
  }),
};

/** Flags of every controller program. */
export const programFlags = {
  kubeconfig: flag.text('kubeconfig', {
    value: 'file',
    help: 'kubeconfig of the cluster',
    unset: "the Pod's service account",
  }),
  leaderElect: flag.switch('leader-elect', 'elect one active replica with a Lease'),
  leaseNamespace: flag.text('leader-elect-namespace', {
    value: 'name',
    default: 'minifleet-system',
    help: 'namespace of the Lease',
  }),
  bind: flag.address('bind-address', {
    default: '0.0.0.0:8080',
    help: 'address of /livez, /readyz and /metrics',
  }),
  logLevel: flag.logLevel('log-level', { default: 'info', help: `${LOG_LEVELS.slice(0, -1).join(', ')} or error` }),
};

export type ProgramFlags = ParsedFlags<typeof programFlags>;

/** Row of the flag table in the reference documentation. */
export interface FlagRow {
  /** `--stuck-after <duration>`. */
  readonly usage: string;
  readonly default: string | undefined;
  readonly help: string;
}

interface FlagSet<G extends FlagGroup> {
  readonly program: string;
  readonly parse: (argv: readonly string[]) => ParsedFlags<G>;
  readonly help: string;
  readonly rows: readonly FlagRow[];
}

interface FlagSetOptions<G extends FlagGroup> {
  /** Name of the executable, with its subcommand if it has one. */
  readonly program: string;
  readonly summary: string;
  /** Paragraphs after the flags in the help text. */
  readonly notes?: readonly string[];
  readonly flags: G;
  /** Makes the program's error of a problem. */
  readonly invalid: (problem: string) => Error;
}

/** Makes the parser, the help text and the reference table of a program from one declaration of its flags. */
export function defineFlags<const G extends FlagGroup>(options: FlagSetOptions<G>): FlagSet<G> {
  const { program, flags, invalid } = options;
  const all = flagsIn(flags);
  return {
    program,
    help: helpText(options),
    rows: all.map(rowOf),
    parse: argv => parsed(flags, textsIn(argv, all, invalid), invalid) as ParsedFlags<G>,
  };
}

const isFlag = (entry: Flag<unknown> | FlagGroup): entry is Flag<unknown> => typeof entry['help'] === 'string';

const flagsIn = (group: FlagGroup): readonly Flag<unknown>[] =>
  Object.values(group).flatMap(entry => (isFlag(entry) ? [entry] : flagsIn(entry)));

type FlagTexts = Readonly<Record<string, string | boolean | undefined>>;

function textsIn(
  argv: readonly string[],
  flags: readonly Flag<unknown>[],
  invalid: (problem: string) => Error,
): FlagTexts {
  const options = Object.fromEntries(
    flags.map(({ name, value }) => [name, { type: value === undefined ? ('boolean' as const) : ('string' as const) }]),
  );
  try {
    return parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    throw invalid(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
}

function parsed(group: FlagGroup, texts: FlagTexts, invalid: (problem: string) => Error): Record<string, unknown> {
  const parsedEntry = (entry: Flag<unknown> | FlagGroup): unknown => {
    if (!isFlag(entry)) return parsed(entry, texts, invalid);
    const text = String(texts[entry.name] ?? entry.default ?? '');
    return entry.parse(text, problem => invalid(`--${entry.name} ${text} ${problem}`));
  };
  return Object.fromEntries(Object.entries(group).map(([key, entry]) => [key, parsedEntry(entry)]));
}

const rowOf = ({ name, value, shownDefault, help }: Flag<unknown>): FlagRow => ({
  usage: `--${name}${value === undefined ? '' : ` <${value}>`}`,
  default: shownDefault,
  help,
});

const WIDTH = 100;
const LONGEST_USAGE = 34;

const ALWAYS: readonly FlagRow[] = [
  { usage: '--help', default: undefined, help: 'print this help and exit' },
  { usage: '--version', default: undefined, help: 'print the version and exit' },
];

/** Groups are paragraphs, as are the flags between them. */
function helpText({ program, summary, notes = [], flags }: FlagSetOptions<FlagGroup>): string {
  const paragraphs = [...paragraphsIn(flags), ALWAYS];
  const usages = paragraphs.flat().map(({ usage }) => usage.length);
  const column = Math.max(...usages.filter(length => length <= LONGEST_USAGE));
  const lines = paragraphs.map(rows => rows.map(row => helpLine(row, column)).join('\n'));
  return `${[`${program}: ${summary}`, `Usage: ${program} [flags]`, ...lines, ...notes].join('\n\n')}\n`;
}

function paragraphsIn(group: FlagGroup): (readonly FlagRow[])[] {
  const paragraphs: FlagRow[][] = [];
  let open = false;
  for (const entry of Object.values(group)) {
    if (!isFlag(entry)) paragraphs.push(...paragraphsIn(entry).map(rows => [...rows]));
    else if (open) paragraphs.at(-1)?.push(rowOf(entry));
    else paragraphs.push([rowOf(entry)]);
    open = isFlag(entry);
  }
  return paragraphs;
}

function helpLine({ usage, default: shown, help }: FlagRow, column: number): string {
  const text = shown === undefined || shown === '' ? help : `${help} (default: ${shown})`;
  const indent = ' '.repeat(column + 4);
  const [first = '', ...more] = wrapped(text, WIDTH - indent.length);
  const start = usage.length > column ? `  ${usage}\n${indent}${first}` : `  ${usage.padEnd(column)}  ${first}`;
  return [start, ...more.map(line => `${indent}${line}`)].join('\n');
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/(?<!\(default:) /)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

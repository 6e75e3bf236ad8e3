import { TartUsageFailure } from '../tart-call.ts';

/** A parsed command line. */
export interface TartArguments {
  has(flag: string): boolean;
  text(option: string): string | undefined;
  integer(option: string): number | undefined;
  all(option: string): readonly string[];
  /** By position; empty if optional and absent. */
  readonly positional: readonly string[];
}

/** Parses like Swift's ArgumentParser and fails with its messages. */
export function parse(shape: CommandShape, argv: readonly string[]): TartArguments {
  const reading = { values: new Map<string, string[]>(), positional: [] as string[], index: 0, literal: false };
  while (reading.index < argv.length) readWord(shape, argv, reading);
  checkPositional(shape, reading.positional);
  const all = (name: string): readonly string[] => reading.values.get(name) ?? [];
  return {
    has: name => reading.values.has(name),
    text: name => all(name).at(-1),
    integer: name => (reading.values.has(name) ? Number(all(name).at(-1)) : undefined),
    all,
    positional: reading.positional,
  };
}

interface ArgumentReader {
  readonly values: Map<string, string[]>;
  readonly positional: string[];
  index: number;
  /** After `--`, or within the guest's command. */
  literal: boolean;
}

function readWord(shape: CommandShape, argv: readonly string[], reading: ArgumentReader): void {
  const word = argv[reading.index++] ?? '';
  if (reading.literal || !word.startsWith('-') || word === '-') {
    reading.positional.push(word);
    if (shape.positional[reading.positional.length - 1]?.passthrough) reading.literal = true;
    return;
  }
  if (word === '--') {
    reading.literal = true;
    return;
  }
  readOption(shape, argv, { word, reading });
}

function readOption(
  shape: CommandShape,
  argv: readonly string[],
  { word, reading }: { readonly word: string; readonly reading: ArgumentReader },
): void {
  const [spelled, inline] = split(word);
  const found = shape.options.find(
    each => `--${each.name}` === spelled || (each.short !== undefined && `-${each.short}` === spelled),
  );
  if (!found) {
    if (readBundle(shape, spelled, reading)) return;
    throw new TartUsageFailure(`Unknown option '${spelled}'`);
  }
  const value = found.value === undefined ? '' : (inline ?? argv[reading.index++]);
  if (value === undefined) throw new TartUsageFailure(`Missing value for '${spelled} <${found.value}>'`);
  checkValue(found, spelled, value);
  reading.values.set(found.name, [...(found.repeated ? (reading.values.get(found.name) ?? []) : []), value]);
}

/** `-it` is `-i -t`. */
function readBundle(shape: CommandShape, word: string, reading: ArgumentReader): boolean {
  if (!/^-[a-z]{2,}$/i.test(word)) return false;
  const flags = word
    .slice(1)
    .split('')
    .map(short => shape.options.find(each => each.short === short && each.value === undefined));
  if (flags.some(each => !each)) return false;
  for (const each of flags) if (each) reading.values.set(each.name, ['']);
  return true;
}

function split(word: string): [string, string?] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

function checkValue(shape: OptionShape, spelled: string, value: string): void {
  const bad = (shape.integer && !/^-?\d+$/.test(value)) || (shape.oneOf && !shape.oneOf.includes(value));
  if (!bad) return;
  const hint = shape.oneOf ? `. Please provide one of ${listed(shape.oneOf)}.` : '';
  throw new TartUsageFailure(`The value '${value}' is invalid for '${spelled} <${shape.value}>'${hint}`);
}

const listed = (words: readonly string[]): string => {
  const quoted = words.map(word => `'${word}'`);
  return quoted.length < 3 ? quoted.join(' or ') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
};

function checkPositional(shape: CommandShape, given: readonly string[]): void {
  const missing = shape.positional.find((each, index) => !each.optional && given[index] === undefined);
  if (missing) {
    const dots = missing.repeated || missing.passthrough ? ' ...' : '';
    throw new TartUsageFailure(
      `Missing expected argument '<${missing.name}>${dots}'\nHelp:  <${missing.name}>  ${missing.help}`,
    );
  }
  const last = shape.positional.at(-1);
  const extra = last?.repeated || last?.passthrough ? [] : given.slice(shape.positional.length);
  if (extra.length === 1) throw new TartUsageFailure(`Unexpected argument '${extra[0]}'`);
  if (extra.length > 1) {
    throw new TartUsageFailure(`${extra.length} unexpected arguments: ${extra.map(word => `'${word}'`).join(', ')}`);
  }
}

/** Arguments of a subcommand, as declared to ArgumentParser. */
export interface CommandShape {
  readonly name: string;
  readonly about: string;
  readonly hidden?: boolean;
  readonly positional: readonly PositionalShape[];
  readonly options: readonly OptionShape[];
}

export interface PositionalShape {
  readonly name: string;
  readonly help: string;
  readonly optional?: boolean;
  /** Takes all remaining arguments. */
  readonly repeated?: boolean;
  /** Takes all remaining arguments including options: the guest's command. */
  readonly passthrough?: boolean;
}

interface OptionShape {
  readonly name: string;
  readonly short?: string;
  /** Name of the value; without it the option is a flag. */
  readonly value?: string;
  readonly integer?: boolean;
  readonly repeated?: boolean;
  readonly oneOf?: readonly string[];
}

/** Shorthands for the tables. */
export const flag = (name: string, short?: string): OptionShape => ({
  name,
  ...(short === undefined ? {} : { short }),
});
export const option = (name: string, more: Omit<OptionShape, 'name'> = {}): OptionShape => ({
  name,
  value: name,
  ...more,
});

/** ArgumentParser shortens the synopsis if there are more options than this. */
const MOST_OPTIONS = 12;

function usageOf(shape: CommandShape): string {
  const options = shape.options.length > MOST_OPTIONS ? ['[<options>]'] : shape.options.map(optionSynopsis);
  return ['tart', shape.name, ...options, ...shape.positional.map(positionalSynopsis)].join(' ');
}

export const usageFailureText = (shape: CommandShape | undefined, message: string): string => {
  const usage = shape ? usageOf(shape) : 'tart <subcommand>';
  const help = shape ? `tart ${shape.name} --help` : 'tart --help';
  return `Error: ${message}\nUsage: ${usage}\n  See '${help}' for more information.`;
};

export const helpOf = (shape: CommandShape): string =>
  [
    `OVERVIEW: ${shape.about}`,
    '',
    `USAGE: ${usageOf(shape)}`,
    ...section(
      'ARGUMENTS',
      shape.positional.map(each => [`<${each.name}>`, each.help]),
    ),
    ...section('OPTIONS', [
      ...shape.options.map(each => [optionSynopsis(each).replace(/^\[|\]( \.\.\.)?$/g, ''), '']),
      ['-h, --help', 'Show help information.'],
    ]),
    '',
  ].join('\n');

export const rootHelp = (shapes: readonly CommandShape[]): string =>
  [
    'USAGE: tart <subcommand>',
    ...section('OPTIONS', [
      ['--version', 'Show the version.'],
      ['-h, --help', 'Show help information.'],
    ]),
    ...section(
      'SUBCOMMANDS',
      shapes.filter(shape => !shape.hidden).map(shape => [shape.name, shape.about]),
    ),
    '',
    "  See 'tart help <subcommand>' for detailed help.",
  ].join('\n');

const section = (title: string, rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0
    ? []
    : ['', `${title}:`, ...rows.map(([name = '', help = '']) => `  ${name.padEnd(24)}${help}`.trimEnd())];

function optionSynopsis(option: OptionShape): string {
  const text = option.value === undefined ? `--${option.name}` : `--${option.name} <${option.value}>`;
  return option.repeated ? `[${text} ...]` : `[${text}]`;
}

function positionalSynopsis(argument: PositionalShape): string {
  const text = argument.repeated || argument.passthrough ? `<${argument.name}> ...` : `<${argument.name}>`;
  return argument.optional ? `[${text}]` : text;
}

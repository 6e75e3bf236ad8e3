import type { CommandShape, OptionShape, PositionalShape } from './shape.ts';

/** ArgumentParser shortens the synopsis when there are more options than this. */
const MOST_OPTIONS = 12;

export function usageOf(shape: CommandShape): string {
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

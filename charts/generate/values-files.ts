import { stringify } from 'yaml';
import { type Fields, group, groupSchema, isGroup, type Value } from './value.ts';
import { chartValues, fleetSchema } from './values.ts';

const SOURCE = 'Generated from charts/generate/values.ts by npm run generate. Do not edit.';
const WIDTH = 120;

/** Renders values.yaml: each value below its description. */
export const valuesYaml = (): string => `# ${SOURCE}\n\n${yamlOf(chartValues, '')}`;

const yamlOf = (fields: Fields, indent: string): string =>
  Object.entries(fields)
    .map(([name, value]) => `${comment(value.says, indent)}${indent}${entry(name, value, indent)}`)
    .join(indent === '' ? '\n' : '');

const entry = (name: string, value: Value, indent: string): string =>
  isGroup(value)
    ? `${name}:\n${yamlOf(value.fields, `${indent}  `)}`
    : nested(stringify({ [name]: value.preset }), indent);

const nested = (yaml: string, indent: string): string => yaml.replaceAll(/\n(?=.)/g, `\n${indent}`);

function comment(words: string, indent: string): string {
  const lines = [''];
  for (const word of words.split(' ')) {
    const line = `${lines.at(-1)} ${word}`;
    if (indent.length + line.length > WIDTH) lines.push(` ${word}`);
    else lines[lines.length - 1] = line;
  }
  return lines.map(line => `${indent}#${line}\n`).join('');
}

/** Renders values.schema.json, with which Helm rejects invalid values before it renders anything. */
export function valuesSchema(): string {
  const whole = groupSchema(group('Values of the chart minifleet.', chartValues));
  const properties = {
    ...(whole['properties'] as object),
    global: { type: 'object', description: 'Of a parent chart.' },
  };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: SOURCE,
    ...whole,
    properties,
    definitions: { fleet: fleetSchema },
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Renders the tables of the README, one for each top-level value. */
export const valuesTables = (): string => Object.entries(chartValues).map(section).join('\n');

const section = ([name, value]: [string, Value]): string =>
  [
    `### \`${name}\`\n`,
    `${value.says}\n`,
    '| Value | Default | Description |\n|---|---|---|',
    ...rows(name, value),
    '',
  ].join('\n');

const rows = (path: string, value: Value): string[] =>
  isGroup(value)
    ? Object.entries(value.fields).flatMap(([name, each]) => rows(`${path}.${name}`, each))
    : [`| \`${path}\` | ${code(value.preset)} | ${cell(value.says)} |`];

const code = (preset: unknown): string => (preset === '' ? '' : `\`${cell(JSON.stringify(preset))}\``);
const cell = (words: string): string => words.replaceAll('|', '\\|');

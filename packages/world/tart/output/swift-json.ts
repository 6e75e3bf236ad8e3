import type { Chance } from '../../chance.ts';

export type Json = string | number | boolean | readonly Json[] | { readonly [key: string]: Json };

/** JSON as Foundation's pretty printer writes it: `"Key" : value`, slashes escaped, keys in no order, an empty array over three lines. */
export function swiftJson(value: Json, chance: Chance, indent = ''): string {
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('/', '\\/');
  if (typeof value !== 'object') return `${value}`;
  const inner = `${indent}  `;
  if (isList(value)) {
    const items = value.map(item => `${inner}${swiftJson(item, chance, inner)}`);
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  const members = shuffled(Object.entries(value), chance).map(
    ([key, item]) => `${inner}"${key}" : ${swiftJson(item, chance, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(chance.integer(left.length), 1));
}

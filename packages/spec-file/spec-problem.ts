import type { z } from 'zod';
import type { YamlPath } from './yaml-text.ts';

/** Problem in a spec file: position and message. */
interface SpecProblem {
  readonly path: YamlPath;
  readonly words: string;
}

type Issue = z.core.$ZodIssue;

/** Lists the valid fields for an unknown field. */
export const fieldsInstead: z.core.$ZodErrorMap = issue =>
  issue.code === 'unrecognized_keys' ? Object.keys(shapeOf(issue.inst)).join(', ') : undefined;

const shapeOf = (schema: unknown): object => (schema as z.ZodObject | undefined)?.shape ?? {};

/** Converts issues of zod into problems; `valueAt` returns the value at a path. */
export function problemsFrom(issues: readonly Issue[], valueAt: (path: YamlPath) => unknown): SpecProblem[] {
  return issues.flatMap((issue): SpecProblem[] => {
    const path = issue.path as YamlPath;
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map(key => ({ path: [...path, key], words: `is not a field; valid fields: ${issue.message}` }));
    }
    const inside = insideUnion(issue);
    if (inside.length > 0) return problemsFrom(inside, valueAt);
    return [{ path, words: wordsFor(issue, valueAt(path)) }];
  });
}

/** For a section that may also be `false`: the issues inside it, if it is an object. */
function insideUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [];
  const [first = []] = issue.errors;
  const wrongKind = first.some(({ code, path }) => code === 'invalid_type' && path.length === 0);
  return wrongKind ? [] : first.map(each => ({ ...each, path: [...issue.path, ...each.path] }));
}

function wordsFor(issue: Issue, found: unknown): string {
  if (found === undefined) return 'is missing';
  if (issue.code === 'invalid_type') {
    return `must be ${kind(issue.expected)}, not ${describe(found)}${hint(issue.expected, found)}`;
  }
  if (issue.code === 'invalid_union') {
    const [expected = 'object'] = issue.errors
      .flat()
      .flatMap(each => (each.code === 'invalid_type' ? [each.expected] : []));
    return `must be ${kind(expected)}, or false to turn it off, not ${describe(found)}`;
  }
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(' or ')}, not ${describe(found)}`;
  const url = issue.code === 'invalid_format' && issue.format === 'url';
  return url ? 'must be a URL such as https://github.com/acme' : issue.message;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a whole number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of fields',
  record: 'a group of fields',
};

const kind = (expected: string): string => KINDS[expected] ?? expected;

function describe(found: unknown): string {
  if (found === null) return 'empty';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object') return 'a group of fields';
  return typeof found === 'string' ? `the text ${JSON.stringify(found)}` : JSON.stringify(found);
}

/** YAML reads `2.32` as a number. */
const hint = (expected: string, found: unknown): string =>
  expected === 'string' && (typeof found === 'number' || typeof found === 'boolean')
    ? `; put it in quotes: '${String(found)}'`
    : '';

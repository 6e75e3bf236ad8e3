import type { z } from 'zod';

/** One thing wrong with an object: where, and what to write instead. */
export interface ValidationProblem {
  path: string;
  message: string;
}

/** Turns zod's finding into a sentence with what was expected and what was got. */
export function problemFrom(issue: z.core.$ZodIssue, root: unknown): ValidationProblem {
  const path = pathText(issue.path);
  const got = valueAt(root, issue.path);
  if (got === undefined && issue.code === 'invalid_type')
    return { path, message: `is missing: write ${expected(issue)}` };
  return { path, message: `got ${shown(got)}: write ${expected(issue)}` };
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function expected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords[issue.expected] ?? `a ${issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values.map(value => String(value)));
    case 'too_small':
      return `${measure(issue.origin)} of at least ${issue.minimum}`;
    case 'too_big':
      return `${measure(issue.origin)} of at most ${issue.maximum}`;
    case 'invalid_format':
      // The message of a regex describes the expected value.
      return formatWords[issue.format] ?? issue.message;
    case 'invalid_union':
      return 'a whole number or a quantity such as 14Gi';
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return `something else (${issue.message})`;
  }
}

const typeWords: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  array: 'a list',
  record: 'a map from name to value',
  string: 'a text',
  boolean: 'true or false',
};

const formatWords: Readonly<Record<string, string>> = { datetime: 'a time such as 2026-05-19T08:00:00Z' };

function measure(origin: string): string {
  if (origin === 'string') return 'a text with a length';
  if (origin === 'array') return 'a list with a length';
  return 'a number';
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
}

/** Truncates long values to keep messages readable. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], root);
}

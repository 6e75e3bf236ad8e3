import type { Problem } from '../server/refusal.ts';
import { problem } from './problem.ts';
import type { Schema } from './schema.ts';

/** Formats that the real server validates and Minifleet’s CRDs use. Neither server checks other formats. */
const formats: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  duration: /^(\d+(\.\d+)?\s?([a-zµ]+))+$/,
  byte: /^[A-Za-z0-9+/]*={0,2}$/,
  ipv4: /^(\d{1,3}\.){3}\d{1,3}$/,
  uuid: /^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/,
};

const patterns = new Map<string, RegExp>();

/** Kept for each pattern: each write of an object asks for the patterns of all its fields. */
function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, known);
  return known;
}

/** Number of characters; `length` counts UTF-16 code units. */
const lengthOf = (value: string): number => Array.from(value).length;

export function stringProblems(value: unknown, schema: Schema, path: string): Problem[] {
  if (typeof value !== 'string') return [];
  const quoted = (): string => `Invalid value: ${JSON.stringify(value)}: ${path} in body`;
  const problems: Problem[] = [];
  if (schema.maxLength !== undefined && lengthOf(value) > schema.maxLength) {
    problems.push(problem('TooLong', path, `Too long: may not be more than ${schema.maxLength} bytes`));
  }
  if (schema.minLength !== undefined && lengthOf(value) < schema.minLength) {
    problems.push(problem('Invalid', path, `${quoted()} should be at least ${schema.minLength} chars long`));
  }
  if (schema.pattern && !compiled(schema.pattern).test(value)) {
    problems.push(problem('Invalid', path, `${quoted()} should match '${schema.pattern}'`));
  }
  const format = schema.format ? formats[schema.format] : undefined;
  if (format && !format.test(value)) {
    problems.push(
      problem('TypeInvalid', path, `${quoted()} must be of type ${schema.format}: ${JSON.stringify(value)}`),
    );
  }
  return problems;
}

export function numberProblems(value: unknown, schema: Schema, path: string): Problem[] {
  if (typeof value !== 'number') return [];
  const broken = (rule: string): Problem =>
    problem('Invalid', path, `Invalid value: ${value}: ${path} in body ${rule}`);
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = schema;
  const problems: Problem[] = [];
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    problems.push(broken(`should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`));
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    problems.push(broken(`should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`));
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
    problems.push(broken(`should be a multiple of ${multipleOf}`));
  }
  return problems;
}

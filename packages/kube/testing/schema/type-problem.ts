import type { Problem } from '../server/refusal.ts';
import { problem } from './problem.ts';
import type { Schema } from './schema.ts';

/** OpenAPI name of the JSON type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

export function typeProblems(value: unknown, schema: Schema, path: string): Problem[] {
  const actual = typeOf(value);
  if (actual === 'null' && schema.nullable) return [];
  const wanted = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  if (wanted.length === 0 || wanted.includes(actual) || (actual === 'integer' && wanted[0] === 'number')) return [];
  const rule = `${path} in body must be of type ${wanted.join(',')}: "${actual}"`;
  const wrong = problem('TypeInvalid', path, `Invalid value: "${actual}": ${rule}`);
  if (actual !== 'number' || schema.type !== 'integer') return [wrong];
  // The real server checks the range of a number separately from its type, so it reports a fraction twice.
  const again = `Checked value must be of type integer (default format) in ${path}`;
  return [wrong, problem('Invalid', '<nil>', `Invalid value: "": ${again}`)];
}

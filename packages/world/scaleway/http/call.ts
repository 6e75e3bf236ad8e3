import type { ApiKey } from '../model/account.ts';
import { invalidArgument, type Json, type JsonObject } from './api-error.ts';

/** One authenticated request that found its route. */
export interface Call {
  readonly key: ApiKey;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  /** A variable part of the path. */
  part(name: string): string;
}

export interface Answer {
  readonly status: number;
  readonly body?: JsonObject;
}

export const ok = (body: JsonObject): Answer => ({ status: 200, body });
export const noContent: Answer = { status: 204 };

/** A text field, undefined when absent; anything else than text is refused. */
export function text(body: JsonObject, field: string): string | undefined {
  return typed(body[field], field, (value): value is string => typeof value === 'string');
}

export function flag(body: JsonObject, field: string): boolean | undefined {
  return typed(body[field], field, (value): value is boolean => typeof value === 'boolean');
}

export function count(body: JsonObject, field: string): number | undefined {
  return typed(body[field], field, (value): value is number => typeof value === 'number');
}

export function object(body: JsonObject, field: string): JsonObject | undefined {
  return typed(body[field], field, isObject);
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typed<T extends Json>(
  value: Json | undefined,
  field: string,
  fits: (value: Json) => value is T,
): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (!fits(value)) throw invalidArgument(field, 'format');
  return value;
}

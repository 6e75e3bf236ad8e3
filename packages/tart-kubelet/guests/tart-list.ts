/** `tart list --format json`, which is Swift's own JSON: unordered keys, escaped slashes, sizes in whole gigabytes. */

import type { TartImage, TartVm } from './tart.ts';
import { TartError } from './tart-error.ts';

const GIGABYTE = 1e9;

export const parseVms = (text: string): TartVm[] =>
  rowsOf(text).flatMap(row =>
    row.Source === 'local' ? [{ name: row.Name, running: row.Running, bytes: row.Size * GIGABYTE }] : [],
  );

/** An image pulled by tag is in it twice, by its tag and by its digest. */
export const parseImages = (text: string): TartImage[] =>
  rowsOf(text).flatMap(row => (row.Source === 'OCI' ? [{ name: row.Name, bytes: row.Size * GIGABYTE }] : []));

interface Row {
  readonly Source: string;
  readonly Name: string;
  readonly Size: number;
  readonly Running: boolean;
}

/** A list that cannot be read is an error and never an empty list: "no VMs" would be believed. */
function rowsOf(text: string): Row[] {
  const rows = parsed(text);
  if (!Array.isArray(rows) || !rows.every(isRow)) {
    throw new TartError('unreadable', { command: 'list', words: `cannot be read: ${text.slice(0, 200)}` });
  }
  return rows;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRow(value: unknown): value is Row {
  if (typeof value !== 'object' || value === null) return false;
  const { Source, Name, Size, Running } = value as Partial<Record<keyof Row, unknown>>;
  return (
    typeof Source === 'string' && typeof Name === 'string' && typeof Size === 'number' && typeof Running === 'boolean'
  );
}

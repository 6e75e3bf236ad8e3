import { createHash } from 'node:crypto';
import { Secret } from '@minifleet/secret';
import type { Artifact } from '../host.ts';
import type { PlannedStep } from './step.ts';

/** An ordered list of steps with their wanted values, and what identifies it. */
export interface Plan {
  readonly steps: readonly PlannedStep[];
  /** Changes when any step or any wanted value does; secrets do not count. */
  readonly fingerprint: string;
}

/** A plan of these steps in this order. Two steps of one name would share a line in every ledger: that is refused. */
export function createPlan(steps: readonly PlannedStep[]): Plan {
  const seen = new Set<string>();
  for (const { id } of steps) {
    if (seen.has(id)) throw new RangeError(`two steps of the plan are called ${id}`);
    seen.add(id);
  }
  const fingerprint = createHash('sha256').update(steps.map(fingerprintOf).join('\n')).digest('hex');
  return { steps, fingerprint };
}

/** What identifies a step with its wanted value: the same wherever and whenever it is computed. */
export const fingerprintOf = ({ id, identity }: Pick<PlannedStep, 'id' | 'identity'>): string =>
  sha256(`${JSON.stringify(id)} ${canonical(identity ?? null, id)}`);

/**
 * JSON with sorted keys, and two words JSON has not: bulk data is its hash. Secrets are left out: a value must not be
 * guessable from a hash in a status, and a caller that has a token only when it is needed wants no other host for it.
 * `at` says where in the value we are.
 */
function canonical(value: unknown, at: string): string {
  if (value instanceof Secret) return 'null';
  if (value instanceof Uint8Array) return `bytes ${sha256(value)}`;
  if (Array.isArray(value)) return `[${value.map((item, index) => canonical(item ?? null, `${at}[${index}]`)).join()}]`;
  if (isArtifact(value)) return `artifact ${JSON.stringify(value.sha256)}`;
  if (isPlainObject(value)) return members(value, at);
  if (isLeaf(value)) return JSON.stringify(value);
  throw new TypeError(`${at} cannot be fingerprinted: a wanted value is plain data`);
}

function members(value: Readonly<Record<string, unknown>>, at: string): string {
  const keys = Object.keys(value).filter(key => value[key] !== undefined && !(value[key] instanceof Secret));
  return `{${keys
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonical(value[key], `${at}.${key}`)}`)
    .join()}}`;
}

const isLeaf = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

const isArtifact = (value: unknown): value is Artifact =>
  typeof value === 'object' &&
  value !== null &&
  'sha256' in value &&
  typeof value.sha256 === 'string' &&
  'open' in value &&
  typeof value.open === 'function';

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

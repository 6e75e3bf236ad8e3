import { createHash } from 'node:crypto';
import { Secret } from '@minifleet/secret';
import type { Artifact } from '../host.ts';
import type { PlannedStep } from './step.ts';

/** Ordered list of steps with their desired values, and its fingerprint. */
export interface Plan {
  readonly steps: readonly PlannedStep[];
  /** Changes with any step and any desired value, but not with secrets. */
  readonly fingerprint: string;
}

/** Creates a plan. Rejects duplicate step ids, because they would share one ledger entry. */
export function createPlan(steps: readonly PlannedStep[]): Plan {
  const seen = new Set<string>();
  for (const { id } of steps) {
    if (seen.has(id)) throw new RangeError(`two steps of the plan are called ${id}`);
    seen.add(id);
  }
  const fingerprint = createHash('sha256').update(steps.map(fingerprintOf).join('\n')).digest('hex');
  return { steps, fingerprint };
}

/** Identifies a step with its desired value, independent of place and time. */
export const fingerprintOf = ({ id, identity }: Pick<PlannedStep, 'id' | 'identity'>): string =>
  sha256(`${JSON.stringify(id)} ${canonical(identity ?? null, id)}`);

/**
 * JSON with sorted keys, and bulk data as its hash. Secrets are left out: a hash in a status must not make a value
 * guessable, and a token that a caller has only when needed must not change the plan. `at` is the path inside the
 * value.
 */
function canonical(value: unknown, at: string): string {
  if (value instanceof Secret) return 'null';
  if (value instanceof Uint8Array) return `bytes ${sha256(value)}`;
  if (Array.isArray(value)) return `[${value.map((item, index) => canonical(item ?? null, `${at}[${index}]`)).join()}]`;
  if (isArtifact(value)) return `artifact ${JSON.stringify(value.sha256)}`;
  if (isPlainObject(value)) return members(value, at);
  if (isLeaf(value)) return JSON.stringify(value);
  throw new TypeError(`${at} cannot be fingerprinted: a desired value is plain data`);
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

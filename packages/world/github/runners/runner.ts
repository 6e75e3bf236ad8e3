import type { Scope } from '../accounts.ts';
import type { Job } from '../jobs/job.ts';

/** Labels that the service assigns itself; all others are `custom`. */
const READ_ONLY = new Set(['self-hosted', 'macos', 'linux', 'windows', 'x64', 'arm', 'arm64']);

/** Returns labels as the API shows them. Duplicates, ignoring case, are merged. */
export function labelsOf(names: readonly string[]): readonly Label[] {
  const seen = new Map<string, string>();
  for (const name of names) if (!seen.has(name.toLowerCase())) seen.set(name.toLowerCase(), name);
  return [...seen].map(([folded, name]) => ({
    id: labelId(folded),
    name,
    type: READ_ONLY.has(folded) ? 'read-only' : 'custom',
  }));
}

/** Returns whether the runner has all labels of the job, ignoring case. */
export const serves = (runner: readonly Label[], requested: readonly string[]): boolean =>
  requested.every(name => runner.some(label => label.name.toLowerCase() === name.toLowerCase()));

/** The same label has the same id on every runner. */
const labelId = (name: string): number => Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 99_991, 7);

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly type: 'read-only' | 'custom';
}

/** One registered self-hosted runner. */
export interface Runner {
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  readonly groupId: number;
  readonly ephemeral: boolean;
  /** The scale set it was created for: it gets only that set's jobs. */
  readonly scaleSetId: number | undefined;
  readonly workFolder: string;
  labels: readonly Label[];
  /** Credential of the runner. Each configuration gets a new one and invalidates the previous one. */
  clientId: string;
  /** `unknown` until a JIT runner first connects. */
  os: string;
  version: string | undefined;
  online: boolean;
  /** The job it runs, or ran when it vanished. */
  job: Job | undefined;
  /** A finished ephemeral runner that is being removed, and still counts as busy. */
  leaving: boolean;
}

export const busy = (runner: Runner): boolean => runner.job !== undefined || runner.leaving;

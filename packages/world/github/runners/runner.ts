import type { Scope } from '../accounts.ts';
import type { Job } from '../jobs/job.ts';

/** Labels the service itself knows; every other one is `custom`. */
const READ_ONLY = new Set(['self-hosted', 'macos', 'linux', 'windows', 'x64', 'arm', 'arm64']);

/** As the API shows them. A label given twice, in whatever case, is one. */
export function labelsOf(names: readonly string[]): readonly Label[] {
  const seen = new Map<string, string>();
  for (const name of names) if (!seen.has(name.toLowerCase())) seen.set(name.toLowerCase(), name);
  return [...seen].map(([folded, name]) => ({
    id: labelId(folded),
    name,
    type: READ_ONLY.has(folded) ? 'read-only' : 'custom',
  }));
}

/** A job's labels must all be on the runner, in whatever case. */
export const serves = (runner: readonly Label[], wanted: readonly string[]): boolean =>
  wanted.every(name => runner.some(label => label.name.toLowerCase() === name.toLowerCase()));

/** The same label has the same id on every runner. */
const labelId = (name: string): number => Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 99_991, 7);

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly type: 'read-only' | 'custom';
}

/** One self-hosted runner as the forge knows it. */
export interface Runner {
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  readonly groupId: number;
  readonly ephemeral: boolean;
  /** The scale set it was made for: it gets that set's jobs and no others. */
  readonly scaleSetId: number | undefined;
  readonly workFolder: string;
  labels: readonly Label[];
  /** What the runner signs in with: a new one each time it is configured, the one before is worth nothing then. */
  clientId: string;
  /** `unknown` until a just-in-time runner first signs in. */
  os: string;
  version: string | undefined;
  online: boolean;
  /** The job it runs, or was running when it vanished. */
  job: Job | undefined;
  /** A finished ephemeral runner on its way out: still busy to whoever asks. */
  leaving: boolean;
}

export const busy = (runner: Runner): boolean => runner.job !== undefined || runner.leaving;

import type { Scope } from '../accounts.ts';
import type { Job } from '../jobs/job.ts';

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

import type { Attempts, ConvergeReport, Disturbance, JournalEntry, Plan, StepReport } from '@minifleet/host';
import type { ObjectKey } from '@minifleet/kube';
import type { Secret } from '@minifleet/secret';
import type { MachineScope } from '../machines/scope.ts';

/**
 * Work on hosts, outside the passes: at most so many at once, each with a deadline, a heartbeat and a way to stop it. One job a
 * machine at a time. A process that dies takes its jobs with it; the next begins again from what the status and the host's own ledger say.
 */
export interface HostWork {
  /** The machine's last job in this process, running or ended. */
  of(uid: string): Job | undefined;
  start(request: JobRequest): Job;
  /** Stops it and waits until the host is let go. No job is fine. */
  cancel(uid: string, why: string): Promise<void>;
  /** Drops what is known of an ended job: it has been written down. */
  forget(uid: string): void;
  /** Told when a job of this machine changes, not more often than is worth a write; of an inspection only when it ends. */
  onChange(listener: (key: ObjectKey) => void): () => void;
  readonly running: number;
  readonly queued: number;
}

export interface JobRequest {
  /** The machine as this pass sees it; the job keeps what it needs of it. */
  readonly scope: MachineScope;
  readonly kind: 'converge' | 'inspect';
  readonly plan: Plan;
  /** What status.plan calls this plan; its fingerprint unless said. */
  readonly desired?: string;
  readonly allow: Disturbance;
  readonly reboot: 'never' | 'when needed';
  /** Asked right before a reboot: a job may have stood in line for long, and work come to the host meanwhile. */
  readonly mayReboot?: () => Promise<boolean>;
  readonly attempts?: Attempts;
  readonly only?: readonly string[];
  /** Steps that let work onto the host: they come after all others, and after the boot those may need. */
  readonly lastly?: readonly string[];
}

export interface Job {
  readonly id: string;
  readonly key: ObjectKey;
  readonly uid: string;
  readonly kind: JobRequest['kind'];
  /** What status.plan calls its plan. */
  readonly plan: string;
  /** Failures in a row before it. */
  readonly attempts: Attempts;
  /** The host's, as it was known when the job was asked for. */
  readonly password: Secret | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly deadlineAt: number;
  /** The last sign of life; of a job that ended, its end. */
  readonly heartbeatAt: number;
  readonly state: JobState;
  /** The last entry of each step, and the last of all. */
  readonly entries: ReadonlyMap<string, JournalEntry>;
  readonly last: JournalEntry | undefined;
}

export type JobState =
  /** `place` in the queue, counted from 1. */
  | { readonly kind: 'queued'; readonly place: number }
  | { readonly kind: 'running' }
  | {
      readonly kind: 'converged';
      readonly report: ConvergeReport;
      readonly hostKey: string | undefined;
      readonly facts: HostFound;
    }
  | { readonly kind: 'inspected'; readonly steps: readonly StepReport[] }
  /** It never came to a report: unreachable, cancelled, past its deadline, or a fault of ours. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly hostKey: string | undefined }
  | { readonly kind: 'cancelled'; readonly why: string };

/** What the host itself said of it, over the pinned connection. */
export interface HostFound {
  /** Its own addresses: what a serving certificate may name. */
  readonly addresses: readonly string[];
}

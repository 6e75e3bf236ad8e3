import type { MacHost } from '@minifleet/api';
import type { Attempts, ConvergeReport, Disturbance, JournalEntry, Plan, StepReport } from '@minifleet/host';
import type { Secret } from '@minifleet/secret';
import type { FleetSshKey, HostAccess } from '../../credentials/credentials.ts';

/** Request for a job on one host: to apply a plan, or to inspect it. */
export interface JobRequest {
  /** The host as this reconcile observed it. */
  readonly host: MacHost;
  readonly kind: 'converge' | 'inspect';
  readonly address: SshAddress;
  readonly access: HostAccess;
  readonly fleetKey: FleetSshKey;
  /** Bootstrap kubeconfig in the plan, for redaction. */
  readonly kubeconfig?: Secret | undefined;
  readonly plan: Plan;
  /** Name of the plan in status.plan (default: its fingerprint). */
  readonly desired?: string;
  readonly allow: Disturbance;
  readonly reboot: 'never' | 'when needed';
  /** Asked immediately before a reboot: a job can wait in the queue while new VMs start. */
  readonly mayReboot?: () => Promise<boolean>;
  readonly attempts?: Attempts;
  readonly only?: readonly string[];
  /** Steps that let workloads onto the host. They run last, after the reboot that others may need. */
  readonly finalSteps?: readonly string[];
}

export interface SshAddress {
  readonly address: string;
  readonly port: number;
}

export interface HostJob {
  readonly id: string;
  /** Name of the host. */
  readonly host: string;
  readonly kind: JobRequest['kind'];
  /** Name of the plan in status.plan. */
  readonly plan: string;
  /** Consecutive failures before the job. */
  readonly attempts: Attempts;
  /** Host password when the job was requested. */
  readonly password: Secret | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly deadlineAt: number;
  /** Last heartbeat; the end of a job that is over. */
  readonly heartbeatAt: number;
  readonly state: HostJobState;
  /** Last journal entry of each step, and the last of all. */
  readonly entries: ReadonlyMap<string, JournalEntry>;
  readonly last: JournalEntry | undefined;
}

export type HostJobState =
  /** `place` in the queue, counted from 1. */
  | { readonly kind: 'queued'; readonly place: number }
  | { readonly kind: 'running' }
  | HostJobResult
  | { readonly kind: 'cancelled'; readonly why: string };

export type HostJobResult =
  | {
      readonly kind: 'converged';
      readonly report: ConvergeReport;
      readonly hostKey: string | undefined;
      /** Addresses that the host itself reported; a serving certificate may name them. */
      readonly addresses: readonly string[];
    }
  | { readonly kind: 'inspected'; readonly steps: readonly StepReport[] }
  /** The job produced no report: unreachable, cancelled, past its deadline, or a bug. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly hostKey: string | undefined };

export const isOver = ({ state }: HostJob): boolean => state.kind !== 'queued' && state.kind !== 'running';

/** State of the job of a host, as decisions distinguish it; `ended` until its result is written. */
export function jobStateOf(job: HostJob | undefined): 'none' | 'queued' | 'running' | 'ended' {
  if (!job) return 'none';
  if (isOver(job)) return 'ended';
  return job.state.kind === 'queued' ? 'queued' : 'running';
}

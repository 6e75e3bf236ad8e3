import type { Address, Artifacts } from '../macs/calls.ts';

/** How the work is done: as we do it, or as Ansible does without pipelining. */
export type Way = 'minifleet' | 'one command a connection';

/** What is wanted of the hosts; artifacts are paths. */
export interface Wish {
  readonly agent: string;
  readonly tart: Artifacts['tart'];
  readonly kubeconfig: string;
}

export type Task = 'converge' | 'plan';

export interface Job {
  readonly task: Task;
  readonly way: Way;
  readonly hosts: readonly Address[];
  readonly wish: Wish;
  /** Of the clock that is waited on for macOS. */
  readonly speed: number;
}

/** What one job cost, over all its hosts. Every host is dialled anew, and that counts. */
export interface Price {
  readonly seconds: number;
  /** The part of it in which no command was under way; the sum over the hosts. */
  readonly waited: number;
  readonly roundTrips: number;
  readonly connections: number;
  /** On the wire, the logins included. */
  readonly bytesSent: number;
  /** Steps that were set about, or, of a plan, that differ. */
  readonly changes: number;
}

/** What the benchmark may ask of the process that works on hosts. */
export interface CallerCalls {
  carryOut(job: Job): Promise<Price>;
  /** The most memory this process ever had, in bytes. */
  peakMemory(): Promise<number>;
}

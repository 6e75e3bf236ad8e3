import type { ArtifactPaths, MacAddress } from '../macs/calls.ts';

/** How the work is done: as we do it, or as Ansible does without pipelining. */
export type TransportMode = 'minifleet' | 'one command a connection';

/** What is wanted of the hosts; artifacts are paths. */
export interface DesiredHost {
  readonly agent: string;
  readonly tart: ArtifactPaths['tart'];
  readonly kubeconfig: string;
}

export type HostTask = 'converge' | 'plan';

export interface HostJob {
  readonly task: HostTask;
  readonly way: TransportMode;
  readonly hosts: readonly MacAddress[];
  readonly desired: DesiredHost;
  /** Of the clock that is waited on for macOS. */
  readonly speed: number;
}

/** What one job cost, over all its hosts. Every host is dialled anew, and that counts. */
export interface JobCost {
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
  runJob(job: HostJob): Promise<JobCost>;
  /** The most memory this process ever had, in bytes. */
  peakMemory(): Promise<number>;
}

import type { ArtifactPaths, MacAddress } from '../macs/calls.ts';

/** The transport of Minifleet, or that of Ansible without pipelining. */
export type TransportMode = 'minifleet' | 'one command a connection';

/** Desired state of the hosts; artifacts are paths. */
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
  /** Speed of the clock for waits on macOS. */
  readonly speed: number;
}

/** Cost of one job over all hosts, including a new connection to each host. */
export interface JobCost {
  readonly seconds: number;
  /** Time without a running command, summed over the hosts. */
  readonly waited: number;
  readonly roundTrips: number;
  readonly connections: number;
  /** Bytes on the wire, including logins. */
  readonly bytesSent: number;
  /** Changed steps, or for a plan the steps that differ. */
  readonly changes: number;
}

/** Calls to the process that works on hosts. */
export interface CallerCalls {
  runJob(job: HostJob): Promise<JobCost>;
  /** Peak memory of this process in bytes. */
  peakMemory(): Promise<number>;
}

import assert from 'node:assert/strict';
import { type MacHost, macHost } from '@minifleet/api';
import { minutes, pause, seconds } from '@minifleet/clock';
import { createPlan, type HostTransport, type PlannedStep, type SshTransportOptions } from '@minifleet/host';
import { passTime, type TestHost, testHost } from '@minifleet/host/testing';
import { anyStep, drift } from '@minifleet/host/testing/engine';
import { silentLog } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import { memoryId } from '@minifleet/vendors/testing';
import { type HostJob, isOver, type JobRequest } from '../host-job.ts';
import { createHostJobs, type HostJobs, type HostJobsOptions } from '../host-jobs.ts';

export interface JobBench extends TestHost {
  readonly jobs: HostJobs;
  /** Connections, in order. */
  readonly dialled: SshTransportOptions[];
  /** Changes of jobs, as `<host> <second>`. */
  readonly changes: string[];
}

/** Jobs on one simulated Mac, whichever host they are for. */
export function jobBench(options: Partial<HostJobsOptions> = {}, made: TestHost = testHost()): JobBench {
  const { clock } = made;
  const dialled: SshTransportOptions[] = [];
  const changes: string[] = [];
  const began = clock.now();
  let ids = 0;
  const jobs = createHostJobs({
    ...{ clock, log: silentLog, identity: 'provider-0' },
    settings: { concurrency: 2, deadline: minutes(50) },
    fence: async () => undefined,
    ids: () => `job-${++ids}`,
    openTransport(target) {
      dialled.push(target);
      return withKey(made.transport);
    },
    ...options,
  });
  jobs.onChange(host => changes.push(`${host} ${(clock.now() - began) / 1_000}`));
  return { ...made, jobs, dialled, changes };
}

export const HOST_KEY = `SHA256:${'k'.repeat(43)}`;

/** The in-process transport has no handshake and therefore no host key. */
export const withKey = (transport: HostTransport): HostTransport => ({
  address: transport.address,
  hostKey: HOST_KEY,
  get roundTrips() {
    return transport.roundTrips;
  },
  run: command => transport.run(command),
  close: () => transport.close(),
});

export const hostNamed = (name: string): MacHost =>
  macHost.withDefaults({
    apiVersion: macHost.apiVersion,
    kind: 'MacHost',
    metadata: { name },
    spec: {
      source: { scaleway: { zone: 'fr-par-1', serverID: memoryId(1) } },
      pool: 'pool-',
      claimEpoch: 1,
      consumerRef: {
        apiGroup: 'g',
        kind: 'ScalewayAppleSiliconMachine',
        namespace: 'fleet',
        name: `of-${name}`,
        uid: '1',
      },
    },
  });

export const requestFor = (
  name: string,
  steps: readonly PlannedStep[],
  more: Partial<JobRequest> = {},
): JobRequest => ({
  host: hostNamed(name),
  kind: 'converge',
  address: { address: '203.0.113.1', port: 22 },
  access: { user: 'm1', passwordRejected: false },
  fleetKey: { name: 'key', publicKey: 'ssh-ed25519 AAAA', privateKey: new Secret('fleet key', 'private') },
  plan: createPlan(steps),
  allow: 'running VMs',
  reboot: 'when needed',
  ...more,
});

/** A step that takes five minutes. */
export const slow = anyStep('slow', {
  timeout: minutes(10),
  inspect: async () => drift('it is slow'),
  async change(host) {
    await host.run(['/bin/sleep', '300'], { timeout: minutes(6) });
    return [];
  },
});

export const jobOf = (jobs: HostJobs, name: string): HostJob => {
  const job = jobs.of(name);
  assert.ok(job, `a job of ${name}`);
  return job;
};

/** Lets time pass until the job is over. */
export async function ended({ jobs, clock }: JobBench, name: string): Promise<HostJob> {
  const over = (async () => {
    while (!isOver(jobOf(jobs, name))) await pause(clock, seconds(1));
  })();
  await passTime(clock, over);
  return jobOf(jobs, name);
}

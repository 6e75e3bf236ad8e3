import { minutes } from '@minifleet/clock';
import { createPlan, type HostTransport, type PlannedStep, type SshTransportOptions } from '@minifleet/host';
import { type TestHost, testHost } from '@minifleet/host/testing';
import { keyString, silentLog } from '@minifleet/kube';
import { createHostWork, type HostWorkOptions } from '../create-host-work.ts';
import type { HostWork, JobRequest } from '../host-work.ts';
import { machineNamed } from './machine.ts';
import { scopeOf } from './scope.ts';

export interface WorkBench extends TestHost {
  readonly work: HostWork;
  /** How hosts were dialled, and whose changes were told at which second. */
  readonly dialled: SshTransportOptions[];
  readonly told: string[];
}

/** Jobs on one Mac of the world, whichever machine they are for. */
export function workBench(options: Partial<HostWorkOptions> = {}, made: TestHost = testHost()): WorkBench {
  const { clock } = made;
  const dialled: SshTransportOptions[] = [];
  const told: string[] = [];
  const began = clock.now();
  let ids = 0;
  const work = createHostWork({
    clock,
    log: silentLog,
    settings: { concurrency: 2, deadline: minutes(50) },
    identity: 'provider-0',
    fence: async () => undefined,
    ids: () => `job-${++ids}`,
    openTransport(target) {
      dialled.push(target);
      return withKey(made.transport);
    },
    ...options,
  });
  work.onChange(key => told.push(`${keyString(key)} ${(clock.now() - began) / 1_000}s`));
  return { ...made, work, dialled, told };
}

export const HOST_KEY = `SHA256:${'k'.repeat(43)}`;

/** The in-process transport shows no key, for want of a handshake. */
const withKey = (transport: HostTransport): HostTransport => ({
  address: transport.address,
  hostKey: HOST_KEY,
  get roundTrips() {
    return transport.roundTrips;
  },
  run: command => transport.run(command),
  close: () => transport.close(),
});

export const requestFor = (
  name: string,
  steps: readonly PlannedStep[],
  more: Partial<JobRequest> = {},
): JobRequest => ({
  scope: scopeOf(machineNamed(name)),
  kind: 'converge',
  plan: createPlan(steps),
  allow: 'running VMs',
  reboot: 'when needed',
  ...more,
});

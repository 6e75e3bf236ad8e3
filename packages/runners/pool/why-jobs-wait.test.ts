import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestamp } from '@minifleet/clock';
import { FORGE_UNAVAILABLE } from '@minifleet/forges';
import type { Node } from '@minifleet/kube';
import { IMAGE, NOW, podOf, poolOf, runnerOf, statusOf } from '../testing/seen.ts';
import { type WhyView, whyJobsWait } from './why-jobs-wait.ts';

const why = (more: Partial<WhyView>) => {
  const view = {
    pool: poolOf({ replicas: 2 }),
    runners: [],
    macs: [],
    trouble: undefined,
    refused: undefined,
    now: NOW,
  };
  const { reason, message } = whyJobsWait({ ...view, ...more });
  return `${reason}: ${message}`;
};

test('a pool whose desired runners are all online is Ready without a message', () => {
  assert.equal(why({ runners: [runnerOf('idle'), runnerOf('busy')] }), 'Ready: ');
  assert.equal(why({ pool: poolOf({ replicas: 0 }) }), 'Ready: ');
});

test('a pool without a free VM slot is Unschedulable with the message of the scheduler', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }];
  const runners = [runnerOf('busy'), runnerOf('pending', { pod: podOf({ status: { phase: 'Pending', conditions } }) })];
  assert.equal(
    why({ runners }),
    'Unschedulable: 1 of 2 runners are missing: no VM slot is free: 0/3 nodes are available',
  );
});

test('a pool whose runners fit on no Mac of its fleet names the sizes and the next action', () => {
  const mac = (name: string, memory: string): Node => ({
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} },
    status: { allocatable: { cpu: '8', memory, 'minifleet.dev/macos-vm': '2' } },
  });
  const pool = poolOf({ replicas: 2, podCPUMilli: 4_000, podMemoryMB: 7_168 });
  assert.equal(
    why({ pool, macs: [mac('m1-small', '6Gi'), mac('m1-smaller', '4Gi')] }),
    'Unschedulable: 2 of 2 runners are missing: a runner needs 4 CPUs and 7168 MiB, but the largest Mac of the fleet, m1-small, has 8 CPUs and 6144 MiB for VMs; reduce podCPUMilli or podMemoryMB of the pool, or use larger Macs',
  );
  assert.match(why({ pool, macs: [mac('m1-small', '6Gi'), mac('m2', '14Gi')] }), /^Starting/);
});

test('a host that starts no VM is HostBlocked with the message of its node agent', () => {
  const status = statusOf('Pending', { waiting: { reason: 'GUISessionMissing', message: 'nobody is logged in' } });
  const runners = [runnerOf('starting', { pod: podOf({ node: 'mac-1', status }) })];
  const said = 'mac-1 reports GUISessionMissing: nobody is logged in';
  assert.equal(why({ runners }), `HostBlocked: 2 of 2 runners are missing: ${said}`);
});

test('an image that keeps failing is CrashBackOff with its last end', () => {
  const crashes = { image: IMAGE, failures: 3, retryAfter: timestamp(NOW + 1_000) };
  const end = { runner: 'a', image: IMAGE, outcome: 'Crashed', reason: 'Error', endedAt: timestamp(NOW) } as const;
  const pool = poolOf({ replicas: 1 }, { crashes, recentEnds: [end] });
  assert.match(why({ pool }), /^CrashBackOff: 1 of 1 .* 3 times in a row, most recently Crashed \(Error\)$/);
  assert.match(why({ pool, now: NOW + 1_000 }), /^Starting/);
});

test('a GitHub failure comes first and keeps its own message', () => {
  const trouble = FORGE_UNAVAILABLE({ forge: 'github', call: 'runners', why: 'no answer' });
  assert.match(why({ trouble }), /^ForgeUnreachable: 2 of 2 runners are missing: github: runners failed/);
});

test('a Pod that the API server rejects is PodsRejected', () => {
  assert.match(why({ refused: 'exceeded quota' }), /^PodsRejected: .*exceeded quota$/);
});

test('a runner that GitHub reports as offline is named', () => {
  assert.match(
    why({ runners: [runnerOf('lost', { name: 'pool-1' })] }),
    /^RunnersOffline: .* reports pool-1 as offline$/,
  );
});

test('a pool with another operating system is OSNotSupported', () => {
  assert.match(why({ pool: poolOf({ replicas: 2, os: 'linux' }) }), /^OSNotSupported: spec\.os linux is not supported/);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { names, type RunnerPool, runnerOutcomes, runnerPool } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { Node, Pod } from '@minifleet/kube';
import type { PoolFigures } from '../pool/pool-deps.ts';
import { createRunnersMetrics, type RunnersMetrics } from './runners-metrics.ts';

const LABELS = 'namespace="ci",pool="macos"';
const clock = fakeClock();
type Phase = NonNullable<NonNullable<Pod['status']>['phase']>;

const shown = async ({ kube }: RunnersMetrics, name: string): Promise<string[]> =>
  (await kube.registry.metrics())
    .split('\n')
    .filter(line => line.startsWith(`tuist_runners_${name}`))
    .map(line => line.slice('tuist_runners_'.length));

const poolWith = (status: RunnerPool['status'], replicas = 4): RunnerPool => {
  const { spec, ...rest } = runnerPool.withDefaults(runnerPool.example);
  return {
    ...rest,
    metadata: { namespace: 'ci', name: 'macos' },
    spec: { ...spec, replicas },
    ...(status && { status }),
  };
};

function following(sources: {
  pools?: readonly RunnerPool[];
  pods?: readonly Pod[];
  nodes?: readonly Node[];
  figures?: readonly PoolFigures[];
}) {
  const metrics = createRunnersMetrics(clock);
  const { nodes = [] } = sources;
  metrics.follow({
    clock,
    stuckAfter: minutes(5),
    pools: () => sources.pools ?? [],
    pods: () => sources.pods ?? [],
    nodes: () => nodes,
    node: name => nodes.find(({ metadata }) => metadata.name === name),
    figures: () => sources.figures ?? [],
    decisions: () => [],
  });
  return metrics;
}

describe('metrics of the runners program', () => {
  test('pool metrics have desired, idle, busy and pending runners, and vanish with the pool', async () => {
    const sources = { pools: [poolWith({ idle: 2, busy: 1, pending: 1 })] };
    const metrics = following(sources);
    assert.deepEqual(await shown(metrics, 'pool_wanted'), [`pool_wanted_replicas{${LABELS}} 4`]);
    assert.deepEqual(await shown(metrics, 'pool_idle'), [`pool_idle_replicas{${LABELS}} 2`]);
    assert.deepEqual(await shown(metrics, 'pool_busy'), [`pool_busy_replicas{${LABELS}} 1`]);
    assert.deepEqual(await shown(metrics, 'pool_pending'), [`pool_pending_provisioning_pods{${LABELS}} 1`]);
    assert.deepEqual(await shown(metrics, 'pool_stale'), [`pool_stale_pods{${LABELS}} 0`]);
    sources.pools = [];
    assert.deepEqual(await shown(metrics, 'pool_idle'), []);
  });

  test('pool_ends_total counts ended runners by outcome from the pool status', async () => {
    const metrics = following({ pools: [poolWith({ ended: { JobDone: 7, NeverStarted: 2 } })] });
    const ends = await shown(metrics, 'pool_ends');
    assert.ok(ends.includes(`pool_ends_total{${LABELS},outcome="JobDone"} 7`));
    assert.ok(ends.includes(`pool_ends_total{${LABELS},outcome="JobLost"} 0`), 'the first one is a rise');
    assert.equal(ends.length, Object.keys(runnerOutcomes).length);
    assert.deepEqual(await shown(metrics, 'pool_ends'), ends, 'a second scrape counts nothing twice');
    assert.deepEqual(await shown(metrics, 'pool_pod_start'), [`pool_pod_start_timeouts_total{${LABELS}} 2`]);
  });

  test('pool_ready and pool_forge_reachable have the condition reason as a label', async () => {
    const condition = (type: string, status: 'True' | 'False', reason: string) => ({
      ...{ type, status, reason, message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
    });
    const conditions = [condition('Ready', 'False', 'Unschedulable'), condition('ForgeReachable', 'True', 'Reachable')];
    const crashes = { image: 'x', failures: 3, retryAfter: '2030-01-01T00:00:00Z' };
    const metrics = following({ pools: [poolWith({ conditions, crashes })] });
    assert.deepEqual(await shown(metrics, 'pool_ready'), [`pool_ready{${LABELS},reason="Unschedulable"} 0`]);
    assert.deepEqual(await shown(metrics, 'pool_forge'), [`pool_forge_reachable{${LABELS},reason="Reachable"} 1`]);
    assert.deepEqual(await shown(metrics, 'pool_crash'), [`pool_crash_rounds{${LABELS}} 3`]);
  });

  test('the support of the runner version has its condition reason, and its announced end in seconds', async () => {
    const time = '2030-01-01T00:00:00Z';
    const condition = { type: 'RunnerVersionSupported', status: 'True', reason: 'EndsSoon', message: '' } as const;
    const figures = {
      ...{
        namespace: 'ci',
        name: 'macos',
        wanted: 4,
        idle: 0,
        busy: 0,
        pending: 0,
        terminating: 0,
        stuck: 0,
        stale: 0,
      },
      ...{ rollCap: 1, oldestPending: seconds(0), staleRegistrations: 0, why: '' },
      versionEnds: { version: '2.336.0', at: Date.parse(time) },
    };
    const pools = [poolWith({ conditions: [{ ...condition, lastTransitionTime: time }] })];
    assert.deepEqual(await shown(following({ pools, figures: [figures] }), 'pool_runner_version'), [
      `pool_runner_version_supported{${LABELS},reason="EndsSoon"} 1`,
      `pool_runner_version_end_timestamp_seconds{${LABELS},version="2.336.0"} ${Date.parse(time) / 1_000}`,
    ]);
  });

  const labels = { [names.labels.runnerPool]: 'macos' };
  const pod = (name: string, phase: Phase, more: object = {}, spec: object = {}): Pod => ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ci', name, labels, ...more } },
    spec: { containers: [], ...spec },
    status: { phase },
  });

  test('pool_phase_replicas counts Pods by phase without ended ones', async () => {
    const pods = [pod('a', 'Pending'), pod('b', 'Running'), pod('c', 'Running'), pod('d', 'Succeeded')];
    assert.deepEqual(await shown(following({ pools: [poolWith({})], pods }), 'pool_phase'), [
      `pool_phase_replicas{${LABELS},phase="Pending"} 1`,
      `pool_phase_replicas{${LABELS},phase="Running"} 2`,
      `pool_phase_replicas{${LABELS},phase="Unknown"} 0`,
    ]);
  });

  test('I10 pool_stuck_pods counts overdue Terminating Pods by cause, with a series for every cause', async () => {
    const ago = (time: number) => ({ deletionTimestamp: new Date(clock.now() - time).toISOString() });
    const pods = [
      pod('gone', 'Running', ago(minutes(6)), { nodeName: 'nowhere' }),
      pod('held', 'Running', { ...ago(minutes(6)), finalizers: ['others.dev/x'] }, { nodeName: 'mac' }),
      pod('young', 'Running', ago(minutes(4)), { nodeName: 'nowhere' }),
    ];
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    const node: Node = {
      ...{ apiVersion: 'v1', kind: 'Node', status },
      metadata: { name: 'mac', labels: { [names.labels.runtime]: 'tart', [names.labels.fleet]: 'runners' } },
    };
    const metrics = following({ pools: [poolWith({})], pods, nodes: [node] });
    assert.deepEqual(await shown(metrics, 'pool_stuck'), [
      `pool_stuck_pods{${LABELS},cause="VMMayRun"} 0`,
      `pool_stuck_pods{${LABELS},cause="NodeNotReady"} 0`,
      `pool_stuck_pods{${LABELS},cause="ForeignNode"} 0`,
      `pool_stuck_pods{${LABELS},cause="OtherFinalizer"} 1`,
      `pool_stuck_pods{${LABELS},cause="OlderAgent"} 0`,
      `pool_stuck_pods{${LABELS},cause="NodeGone"} 1`,
    ]);
    const fleet = 'fleet_selector="runners",operating_system="darwin"';
    assert.deepEqual(await shown(metrics, 'fleet_ready'), [`fleet_ready_nodes{${fleet}} 1`]);
  });

  test('forge_requests_total counts GitHub calls by outcome', async () => {
    const metrics = createRunnersMetrics(clock);
    metrics.forgeCalled({ forge: 'github', call: 'runners', outcome: 'ok' });
    assert.deepEqual(await shown(metrics, 'forge_requests'), [
      'forge_requests_total{forge="github",call="runners",outcome="ok"} 1',
    ]);
  });

  test('replacement and start times of runners are reported in seconds by pool', async () => {
    const metrics = createRunnersMetrics(clock);
    metrics.replaced({ namespace: 'ci', name: 'macos' }, 0.3);
    metrics.started({ namespace: 'ci', name: 'macos' }, 40);
    assert.deepEqual(await shown(metrics, 'pool_replacement_seconds_sum'), [
      `pool_replacement_seconds_sum{${LABELS}} 0.3`,
    ]);
    assert.deepEqual(await shown(metrics, 'pool_start_seconds_sum'), [`pool_start_seconds_sum{${LABELS}} 40`]);
  });
});

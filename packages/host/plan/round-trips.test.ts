import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Secret } from '@minifleet/secret';
import { machO } from '@minifleet/world/mac';
import { converge } from '../engine/converge.ts';
import { inspectPlan } from '../engine/inspect.ts';
import { artifactOf } from '../steps/actions-runner/testing/artifact.ts';
import { passTime, type TestHost } from '../testing/index.ts';
import { hostPlan } from './host-plan.ts';
import type { FleetSpec, PerHostSpec } from './host-spec.ts';
import { fullHost, fullSpec } from './testing/full-spec.ts';

const directory = mkdtempSync(join(tmpdir(), 'minifleet-round-trips-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const { builder: _, ...fleet } = fullSpec.fleet;
const { runnerToken: __, ...host } = fullSpec.host;

/** Plan of a node with some changes. */
const nodePlan = (other: { readonly fleet?: Partial<FleetSpec>; readonly host?: Partial<PerHostSpec> } = {}) =>
  hostPlan({ fleet: { ...fleet, ...other.fleet }, host: { ...host, ...other.host } });

describe('a host with the whole plan of a node', () => {
  let given: TestHost;

  const cost = async (plan: ReturnType<typeof nodePlan>) => {
    const { clock, redactor, transport } = given;
    const how = { holder: 'test', allow: 'running VMs', reboot: 'when needed', redactor } as const;
    const roundTrips = () => transport.roundTrips;
    const report = await passTime(clock, converge(given.host, plan, { ...how, roundTrips }));
    assert.equal(report.outcome, 'converged', report.error?.message ?? '');
    return { changes: report.changes, roundTrips: report.roundTrips };
  };

  before(async () => {
    given = fullHost(directory);
    await cost(nodePlan());
  });

  test('planning a whole node takes one round trip', async () => {
    const asked = given.transport.roundTrips;
    await inspectPlan(given.host, nodePlan());
    assert.equal(given.transport.roundTrips - asked, 1);
  });

  test('converging a node in sync takes two round trips: inspection and release', async () => {
    assert.deepEqual(await cost(nodePlan()), { changes: 0, roundTrips: 2 });
  });

  test('new node credentials take nine round trips, with a restart of the agent that has the old ones', async () => {
    const kubeconfig = new Secret('kubeconfig', 'apiVersion: v1\nkind: Config\nclusters: []\n');
    assert.deepEqual(await cost(nodePlan({ host: { kubeconfig } })), { changes: 2, roundTrips: 9 });
  });

  test('another property list takes five round trips', async () => {
    await cost(nodePlan());
    const logRotation = { ...fleet.logRotation, keep: 7 };
    assert.deepEqual(await cost(nodePlan({ fleet: { logRotation } })), { changes: 1, roundTrips: 5 });
  });

  test('another agent version takes ten round trips, with upload, start and stability check', async () => {
    await cost(nodePlan());
    const agent = { ...fleet.agent, binary: artifactOf('tart-kubelet', machO('agent two')) };
    assert.deepEqual(await cost(nodePlan({ fleet: { agent } })), { changes: 2, roundTrips: 10 });
  });
});

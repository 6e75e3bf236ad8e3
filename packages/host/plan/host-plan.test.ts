import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Secret } from '@minifleet/secret';
import { converge } from '../engine/converge.ts';
import { inspectPlan } from '../engine/inspect.ts';
import { fingerprintOf, type Plan } from '../engine/plan.ts';

import type { AgentJob } from '../steps/agent-job/agent-launchd-job.ts';
import { passTime, type TestHost } from '../testing/index.ts';
import { hostPlan } from './host-plan.ts';
import type { HostSpec } from './host-spec.ts';
import { fullHost, fullSpec } from './testing/full-spec.ts';
import { another, leavesOf, replaced } from './testing/leaves.ts';

const directory = mkdtempSync(join(tmpdir(), 'minifleet-host-plan-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Fields that only bring something to the host: afterwards nothing of them is left to compare. */
const HOW_IT_GETS_THERE = ['fleet.builder.homebrewInstaller'];

const SECRETS_LIE_IN: Readonly<Record<string, readonly string[]>> = {
  'host.password': ['auto-login'],
  'host.kubeconfig': ['agent-credentials'],
  'host.runnerToken': [], // used up by registering
};

const HOW = { holder: 'test', allow: 'running VMs', reboot: 'when needed' } as const;
const bring = ({ host, clock, redactor }: TestHost, plan: Plan) =>
  passTime(clock, converge(host, plan, { ...HOW, redactor }));

/** The steps whose wanted value is another. */
function moved(one: Plan, other: Plan): string[] {
  const before = new Map(one.steps.map(step => [step.id, fingerprintOf(step)]));
  return other.steps.filter(step => before.get(step.id) !== fingerprintOf(step)).map(({ id }) => id);
}

/** The steps that are not as a plan wants them. */
async function differing({ host, clock }: TestHost, plan: Plan): Promise<string[]> {
  const reports = await passTime(clock, inspectPlan(host, plan));
  return reports.filter(({ state }) => state !== 'current').map(({ id }) => id);
}

describe('I33 a host converged to a spec with every field', () => {
  let made: TestHost;
  const plan = hostPlan(fullSpec);

  before(async () => {
    made = fullHost(directory);
    const { outcome, error } = await bring(made, plan);
    assert.equal(error, undefined);
    assert.equal(outcome, 'converged');
  });

  test('a host converged to a full spec is current in two inspections', async () => {
    assert.deepEqual(await differing(made, plan), []);
    assert.equal((await bring(made, plan)).changes, 0);
    assert.deepEqual(made.journal.gaps, []);
  });

  for (const { path, value } of leavesOf(fullSpec)) {
    const name = path.join('.');
    if (value instanceof Secret || HOW_IT_GETS_THERE.includes(name)) continue;
    test(`I33 another ${name} changes the fingerprints of exactly the steps that differ`, async () => {
      const other = hostPlan(replaced<HostSpec>(fullSpec, path, another(value)));
      assert.notEqual(other.fingerprint, plan.fingerprint);
      assert.deepEqual(await differing(made, other), moved(plan, other));
    });
  }

  for (const name of HOW_IT_GETS_THERE) {
    test(`another ${name} changes neither fingerprint nor findings`, async () => {
      const other = hostPlan(
        replaced<HostSpec>(fullSpec, name.split('.'), another(fullSpec.fleet.builder.homebrewInstaller)),
      );
      assert.deepEqual(moved(plan, other), []);
      assert.deepEqual(await differing(made, other), []);
    });
  }

  for (const { path, value } of leavesOf(fullSpec)) {
    if (!(value instanceof Secret)) continue;
    const name = path.join('.');
    test(`another value of the secret ${name} changes no fingerprint, but the findings`, async () => {
      const other = hostPlan(replaced<HostSpec>(fullSpec, path, another(value)));
      assert.equal(other.fingerprint, plan.fingerprint);
      assert.deepEqual(await differing(made, other), SECRETS_LIE_IN[name]);
    });
  }

  for (const part of ['agent', 'tart', 'builder'] as const) {
    test(`I33 without ${part} exactly its removable steps differ`, async () => {
      const other = hostPlan(replaced<HostSpec>(fullSpec, ['fleet', part], undefined));
      const left = other.steps.map(({ id }) => id);
      const nothingToTakeOff = ['homebrew', 'xcode'];
      const wished = moved(plan, other).filter(id => left.includes(id) && !nothingToTakeOff.includes(id));
      assert.deepEqual(await differing(made, other), wished);
    });
  }

  for (const part of ['egress', 'localNetwork', 'guestLeaseSeconds', 'logRotation'] as const) {
    test(`I33 turning ${part} off changes only its step`, async () => {
      const other = hostPlan(replaced<HostSpec>(fullSpec, ['fleet', part], false));
      assert.equal(moved(plan, other).length, 1);
      assert.deepEqual(await differing(made, other), moved(plan, other));
    });
  }
});

describe('turning everything off', () => {
  test('a host with everything turned off converges', async () => {
    const made = fullHost(directory);
    await bring(made, hostPlan(fullSpec));
    const off = { egress: false, localNetwork: false, guestLeaseSeconds: false, logRotation: false } as const;
    const bare = hostPlan({ fleet: off, host: fullSpec.host });
    const { outcome, error } = await bring(made, bare);
    assert.equal(error, undefined);
    assert.equal(outcome, 'converged');
    assert.deepEqual(await differing(made, bare), []);
    assert.deepEqual(made.journal.gaps, []);
  });
});

describe('a plan', () => {
  const idsOf = (spec: HostSpec): string[] => hostPlan(spec).steps.map(({ id }) => id);

  test('a plan orders steps by their dependencies', () => {
    assert.deepEqual(idsOf(fullSpec), [
      'sudo',
      'auto-login',
      'never-sleep',
      'hostname',
      'local-network',
      'guest-dhcp-lease',
      'tart',
      'vm-egress',
      'agent-binary',
      'agent-credentials',
      'agent-job',
      'log-rotation',
      'homebrew',
      'builder-tools',
      'xcode',
      'build-cache',
      'actions-runner',
    ]);
  });

  test('egress rules, short leases and the local network are on by default', () => {
    const { steps } = hostPlan({ fleet: {}, host: { name: 'mini-01', user: 'm1' } });
    const wants = new Map(steps.map(({ id, want }) => [id, want]));
    assert.deepEqual(wants.get('guest-dhcp-lease'), { seconds: 600 });
    assert.deepEqual(wants.get('local-network'), { addresses: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'] });
    assert.notEqual(wants.get('vm-egress'), 'absent');
    assert.equal(wants.get('actions-runner'), 'absent');
  });

  test('a plan without credentials keeps those on the host', () => {
    const { kubeconfig: _, ...host } = fullSpec.host;
    assert.ok(!idsOf({ ...fullSpec, host }).includes('agent-credentials'));
  });

  test('I29 the agent of a builder never garbage-collects VMs', () => {
    const flagsOf = (spec: HostSpec): readonly string[] => {
      const job = hostPlan(spec).steps.find(({ id }) => id === 'agent-job');
      return (job?.want as AgentJob | undefined)?.arguments ?? [];
    };
    const { builder: _, ...node } = fullSpec.fleet;
    assert.ok(flagsOf(fullSpec).includes('--disable-vm-gc'));
    assert.ok(!flagsOf({ ...fullSpec, fleet: node }).includes('--disable-vm-gc'));
    for (const { path, value } of leavesOf(fullSpec)) {
      assert.ok(
        flagsOf(replaced<HostSpec>(fullSpec, path, another(value))).includes('--disable-vm-gc'),
        path.join('.'),
      );
    }
  });

  test('a host label takes precedence over a fleet label', () => {
    const labels = { 'tuist.dev/fleet': 'canary' };
    const job = hostPlan({ ...fullSpec, host: { ...fullSpec.host, labels } }).steps.find(
      ({ id }) => id === 'agent-job',
    );
    assert.match(JSON.stringify(job?.want), /--node-labels=tuist\.dev\/fleet=canary"/);
  });
});

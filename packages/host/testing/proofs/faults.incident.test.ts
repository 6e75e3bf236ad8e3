import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { machO } from '@minifleet/world/mac';
import { converge } from '../../engine/converge.ts';
import type { Plan } from '../../engine/plan.ts';
import { setClockAhead } from '../../engine/testing/set-clock-ahead.ts';
import { hostPlan } from '../../plan/host-plan.ts';
import type { HostSpec } from '../../plan/host-spec.ts';
import { fullHost, fullSpec } from '../../plan/testing/full-spec.ts';
import { artifactOf } from '../../steps/actions-runner/testing/artifact.ts';
import { encodePassword } from '../../steps/auto-login/password.ts';
import { macState } from '../mac-state.ts';
import { passTime, type TestHost } from '../test-host.ts';
import { anotherCaller, bring, byHand, convergedHost, stateOf, worse } from './converged-host.ts';
import { sshHost } from './ssh-host.ts';

/** A problem of a host or of its spec, and the expected result of a run. */
interface FaultCase {
  readonly name: string;
  /** State of the host before the problem (default: converged). */
  readonly on?: 'fresh';
  readonly cause?: (given: TestHost) => void | Promise<void>;
  readonly spec?: HostSpec;
  /** The error's code, or `converged`. */
  readonly expected: string;
  /** Expected next action in the error message. */
  readonly action?: RegExp;
  /** Performs the next action. */
  readonly repair?: (given: TestHost) => void | Promise<void>;
  /** Desired state afterwards (default: the same). */
  readonly specAfterwards?: HostSpec;
}

const { builder: _, ...fleet } = fullSpec.fleet;
const SPEC: HostSpec = { ...fullSpec, fleet };
const AGENT = 'system/dev.tuist.tart-kubelet';
const DAY = 24 * 3_600_000;

const withPassword = (password: string | undefined): HostSpec => {
  const { password: _given, ...host } = SPEC.host;
  return { ...SPEC, host: password === undefined ? host : { ...host, password: new Secret('password', password) } };
};

/** The same spec with another agent, so that a run has to change the host. */
const ROLL: HostSpec = {
  ...SPEC,
  fleet: {
    ...fleet,
    agent: { ...fullSpec.fleet.agent, binary: artifactOf('tart-kubelet', machO(`agent two${' '.repeat(100_000)}`)) },
  },
};

const failWrites = ({ faults }: TestHost, detail: RegExp, message: string): void =>
  faults.add({ kind: 'file write', detail, fault: { type: 'fail', code: 1, message } });

const PF_CONF_BROKEN =
  'cp /etc/pf.conf /etc/pf.conf.kept; echo "anchor anchor anchor" >> /etc/pf.conf; pfctl -a com.apple/tuist.runners -F rules';
const clearFaults = ({ faults }: TestHost): void => faults.clear();

const faultCases: readonly FaultCase[] = [
  {
    name: 'a wrong password on a host that still asks for one',
    on: 'fresh',
    spec: withPassword('wrong horse'),
    expected: 'HOST_SUDO_PASSWORD_WRONG',
    action: /provide the correct one/,
    specAfterwards: SPEC,
  },
  {
    name: 'a wrong password on a host that needs none',
    spec: withPassword('wrong horse'),
    expected: 'HOST_PASSWORD_WRONG',
    action: /provide the correct one/,
    specAfterwards: SPEC,
  },
  {
    name: 'a sealed password and none provided',
    cause: ({ mac, root }) => mac.files.write(root, '/etc/kcpassword', encodePassword('<sealed>')),
    spec: withPassword(undefined),
    expected: 'HOST_PASSWORD_NEEDED',
    action: /provide it once/,
    specAfterwards: SPEC,
  },
  {
    name: 'a full disk',
    cause: ({ mac }) => mac.files.reserve(mac.files.space.free - 5_000),
    spec: ROLL,
    expected: 'HOST_DISK_FULL',
    action: /free disk space/,
    repair: ({ mac }) => mac.files.reserve(5_000 - 1_000_000_000),
  },
  {
    name: 'a read-only file',
    cause: async given => {
      await byHand(given, 'rm /etc/pf.anchors/tuist.runners');
      failWrites(given, /pf\.anchors/, 'EROFS');
    },
    expected: 'HOST_FILE_READ_ONLY',
    action: /remove its lock/,
    repair: clearFaults,
  },
  {
    name: 'a pf.conf that pf cannot read',
    cause: given => byHand(given, PF_CONF_BROKEN),
    expected: 'HOST_PF_CONF_INVALID',
    action: /repair the file by hand/,
    repair: given => byHand(given, 'cp /etc/pf.conf.kept /etc/pf.conf'),
  },
  { name: 'I35 no /usr/local/bin', cause: given => byHand(given, 'rm -rf /usr/local/bin'), expected: 'converged' },
  {
    name: 'I08 a dead login window without a session',
    cause: async given => {
      await byHand(given, 'killall -HUP loginwindow');
      await given.clock.advance(seconds(120));
      assert.deepEqual(stateOf(given).sessions, []);
    },
    expected: 'converged',
  },
  {
    name: 'I17 a launchd that no longer restarts the agent',
    cause: async given => {
      const plist = '/Library/LaunchDaemons/dev.tuist.tart-kubelet.plist';
      for (let roll = 0; roll < 12; roll++) {
        await byHand(given, `launchctl bootout ${AGENT}`);
        await given.clock.advance(seconds(5));
        await byHand(given, `launchctl bootstrap system ${plist}`);
        await given.clock.advance(seconds(5));
      }
      await byHand(given, 'killall -TERM tart-kubelet');
      await given.clock.advance(seconds(60));
    },
    expected: 'converged',
  },
  {
    name: 'I19 an agent the kernel kills for its signature',
    cause: async given => {
      const { mac, root, clock } = given;
      const program = mac.files.realPath(root, '/usr/local/bin/tart-kubelet');
      mac.files.write(root, program, machO('overwritten in place'));
      await byHand(given, `launchctl kickstart -k ${AGENT}`);
      await clock.advance(seconds(5));
    },
    expected: 'converged',
  },
  { name: 'a clock a day ahead', cause: ({ mac }) => setClockAhead(mac, DAY), spec: ROLL, expected: 'converged' },
  { name: 'a clock a day behind', cause: ({ mac }) => setClockAhead(mac, -DAY), spec: ROLL, expected: 'converged' },
  {
    name: 'a clock a day ahead from the start',
    on: 'fresh',
    cause: ({ mac }) => setClockAhead(mac, DAY),
    expected: 'converged',
  },
  {
    name: 'a clock a day behind from the start',
    on: 'fresh',
    cause: ({ mac }) => setClockAhead(mac, -DAY),
    expected: 'converged',
  },
];

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'minifleet-faults-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const makeHost = (): TestHost => fullHost(folder);
const PLAN: Plan = hostPlan(SPEC);

/** Checks that a run converges and that a second run changes nothing. */
async function assertConverges(given: TestHost, plan: Plan): Promise<void> {
  const { outcome, error } = await bring(given, plan);
  assert.equal(outcome, 'converged', error?.message ?? 'no error');
  assert.equal((await bring(given, plan)).changes, 0);
  assert.deepEqual(given.journal.gaps, []);
}

describe('a fault is repaired, or reported with the next action and without damage to the host', () => {
  for (const fault of faultCases) {
    test(`${fault.name}: ${fault.expected}`, async () => {
      const given = fault.on === 'fresh' ? makeHost() : await convergedHost(makeHost, PLAN);
      await fault.cause?.(given);
      const state = stateOf(given);
      const { outcome, error } = await bring(given, hostPlan(fault.spec ?? SPEC));
      assert.equal(error?.code ?? outcome, fault.expected, error?.message ?? 'no error');
      if (fault.action) {
        assert.match(error?.message ?? '', fault.action);
        assert.deepEqual(worse(state, stateOf(given)), []);
      }
      await fault.repair?.(given);
      await assertConverges(given, hostPlan(fault.specAfterwards ?? fault.spec ?? SPEC));
    });
  }

  test('a host that reboots during a run is HOST_UNREACHABLE, then converges', async () => {
    const given = await convergedHost(makeHost, PLAN);
    const plan = hostPlan(ROLL);
    const entries: string[] = [];
    const { outcome, error } = await bring(given, plan, {
      onEntry: ({ kind, step }) => {
        entries.push(`${kind} ${step}`);
        if (kind === 'changing' && step === 'agent-job') void given.mac.reboot();
      },
    });
    assert.ok(entries.includes('changing agent-job'));
    assert.equal(error?.code ?? outcome, 'HOST_UNREACHABLE');
    assert.match(error?.message ?? '', /check that the host is powered on/);
    // By then the host is up and the lease of the first caller has expired.
    await given.clock.advance(seconds(180));
    await assertConverges(given, plan);
  });

  test('a rejected SSH key is HOST_KEY_REFUSED', async () => {
    await using given = await sshHost({ acceptsKey: false });
    const state = macState(given.mac);
    const { error } = await given.bring(PLAN);
    assert.equal(error?.code, 'HOST_KEY_REFUSED');
    assert.match(error?.message ?? '', /add the public key to ~\/.ssh\/authorized_keys, .*, or reinstall the host/);
    assert.deepEqual(worse(state, macState(given.mac)), []);
  });

  test('a changed host key is HOST_IDENTITY_CHANGED', async () => {
    await using given = await sshHost({ pinned: `SHA256:${'A'.repeat(43)}` });
    const state = macState(given.mac);
    const { error } = await given.bring(PLAN);
    assert.equal(error?.code, 'HOST_IDENTITY_CHANGED');
    assert.match(
      error?.message ?? '',
      /if the host was reinstalled, remove the pin, otherwise another machine answers/,
    );
    assert.deepEqual(worse(state, macState(given.mac)), []);
  });

  test('of two callers at once one converges, the other gets HOST_BUSY with the holder and the wait', async () => {
    const given = await convergedHost(makeHost, PLAN);
    const plan = hostPlan(ROLL);
    const { clock, redactor } = given;
    const how = { allow: 'running VMs', reboot: 'when needed', redactor } as const;
    const both = Promise.all([
      converge(given.host, plan, { ...how, holder: 'anna@laptop' }),
      converge(anotherCaller(given), plan, { ...how, holder: 'ben@desk' }),
    ]);
    const reports = await passTime(clock, both);
    assert.deepEqual(reports.map(({ outcome }) => outcome).sort(), ['converged', 'failed']);
    const [refused] = reports.filter(({ outcome }) => outcome === 'failed');
    assert.equal(refused?.error?.code, 'HOST_BUSY');
    assert.match(
      refused?.error?.message ?? '',
      /(anna@laptop|ben@desk) is already changing .*; wait until it finishes/,
    );
    assert.equal(refused?.changes, 0);
    assert.equal((await bring(given, plan)).changes, 0);
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { scalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { passTime } from '@minifleet/host/testing';
import { fullHost, fullSpec } from '@minifleet/host/testing/plan';
import { byHand } from '@minifleet/host/testing/proofs/converged-host';
import { takeJob } from '@minifleet/host/testing/steps';
import { setCondition } from '@minifleet/kube';
import { execute, processesOf } from '@minifleet/world/mac';
import { builderOf, type RunnerForge } from '@minifleet/world/testing/mac';
import { type BootstrapBench, bootstrapBench } from '../../host-work/testing/bootstrap-bench.ts';
import { bootstrapped, statusOf } from '../../host-work/testing/bootstrapped.ts';
import type { PhaseEnd } from '../phase.ts';
import { type FakeRunners, fakeRunners } from '../testing/fake-parts.ts';

const directory = mkdtempSync(join(tmpdir(), 'minifleet-bootstrap-builder-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const { resource } = scalewayAppleSiliconMachine;
const key = { namespace: 'fleet', name: 'mini-01' };

interface BuilderBench extends BootstrapBench {
  readonly runners: FakeRunners;
  /** How many tokens were minted. */
  readonly tokens: () => number;
}

/** A builder that serves, and a forge in the hand of the test. */
async function served(): Promise<BuilderBench> {
  let tokens = 0;
  const effects: string[] = [];
  const runners = fakeRunners(effects);
  runners.token = async () => {
    tokens += 1;
    return fullSpec.host.runnerToken;
  };
  const spec = { ghActionsRunner: { ghOrg: 'acme', ghRunnerLabels: 'vm-image-builder' } };
  const bench = await bootstrapBench(fullHost(directory), { fleet: fullSpec.fleet, spec, runners });
  await bootstrapped(bench);
  await bench.join();
  return Object.assign(bench, { runners, tokens: () => tokens, effects });
}

const changeSpec = ({ api }: BootstrapBench, spec: object): Promise<unknown> =>
  api.client.patch(resource, key, { type: 'merge', body: { spec } });

/** As the phase after this one notes it. */
async function forgeMisses(bench: BootstrapBench): Promise<void> {
  const samm = await bench.get();
  setCondition(
    samm,
    { type: 'BuilderRunnerOnline', status: 'False', reason: 'RunnerNotRegistered', message: '' },
    bench.made.clock,
  );
  const body = { status: { conditions: samm.status?.conditions } };
  await bench.api.client.patch(resource, key, { type: 'merge', body }, { subresource: 'status' });
}

/** What a command on the host prints. */
const printed = async ({ made }: BootstrapBench, command: string): Promise<string> =>
  (await passTime(made.clock, execute(made.mac, command, { user: made.root }))).out;

const saying = (words: RegExp) => (end: { readonly message?: string }) => words.test(end.message ?? '');
/** Nothing is under way, and nothing is left to be done. */
const asWanted = ({ reason, message }: PhaseEnd): boolean => reason === 'HostBootstrapped' && !message;

const rolled = async (bench: BootstrapBench): Promise<boolean> => {
  const { plan, job } = await statusOf(bench);
  return plan?.applied === plan?.desired && job === undefined;
};

describe('a builder that serves', () => {
  test('registers anew with another label, and is given a fresh token for it', async () => {
    const bench = await served();
    assert.equal(bench.tokens(), 1);
    await changeSpec(bench, { ghActionsRunner: { ghOrg: 'acme', ghRunnerLabels: 'vm-image-builder,xcode' } });
    await bench.live(asWanted);
    assert.equal(bench.tokens(), 2);
    const registered = await printed(bench, 'cat /opt/actions-runner/.registration');
    assert.match(registered, /^https:\/\/forge\.test\/acme mini-01 vm-image-builder,xcode$/m);
  });

  test('waits with a roll until its job is over, and says so', async () => {
    const bench = await served();
    bench.runners.now = 'busy';
    await changeSpec(bench, { ghActionsRunner: { ghOrg: 'acme', ghRunnerLabels: 'xcode' } });
    const sent = bench.made.transport.roundTrips;
    const end = await bench.live(saying(/pending: its runner mini-01 is running a job/));
    assert.deepEqual([end.kind, end.reason], ['passed', 'PlanOutdated']);
    assert.equal(bench.made.transport.roundTrips, sent, 'nobody was at the host');
    bench.runners.now = 'online';
    await bench.live(asWanted);
    assert.ok(await rolled(bench));
  });

  test('is not interrupted by a roll that began a moment before its job', async () => {
    const bench = await served();
    const endJob = takeJob(bench.made);
    await changeSpec(bench, { ghActionsRunner: { ghOrg: 'acme', ghRunnerLabels: 'xcode' } });
    await bench.live(saying(/postponed until .*: actions-runner \(.*expected xcode/));
    assert.equal(processesOf(bench.made.mac).find('Runner.Worker').length, 1);
    endJob();
    await bench.made.clock.advance(minutes(1));
    await bench.live(asWanted);
    assert.ok(await rolled(bench));
  });

  test('a builder whose registration was deleted at GitHub is inspected within a minute and registers again', async () => {
    const bench = await served();
    const { mac } = bench.made;
    let deleted = true;
    const forge = builderOf(mac).forge as RunnerForge;
    builderOf(mac).forge = {
      ...forge,
      register: registration => {
        deleted = false;
        return forge.register(registration);
      },
      connect: () => (deleted ? 'deleted' : 'connected'),
    };
    await byHand(bench.made, 'launchctl kickstart -k gui/501/actions.runner.acme.mini-01 && sleep 10');
    await forgeMisses(bench);
    const began = bench.made.clock.now();
    await bench.live(saying(/GitHub has deleted the registration of mini-01/));
    assert.ok(bench.made.clock.now() - began <= minutes(2), 'every ten minutes otherwise');
    await bench.live(asWanted);
    assert.deepEqual([deleted, bench.tokens()], [false, 2]);
  });

  test('is restarted only when its runner could be taken out of the forge', async () => {
    const bench = await served();
    const { builder, ...fleet } = fullSpec.fleet;
    const boots = () => printed(bench, 'sysctl -n kern.boottime');
    const before = await boots();
    let refused = 0;
    bench.runners.remove = async () => {
      refused += 1;
      return false;
    };
    bench.settings = { ...bench.settings, fleet: { ...fleet, builder, localNetwork: ['10.0.0.0/8'] } };
    await bench.live(saying(/active after the next restart: local-network/));
    await bench.live(() => refused > 0);
    await bench.live(saying(/active after the next restart: local-network/));
    assert.equal(await boots(), before);
    bench.runners.remove = async () => true;
    await bench.made.clock.advance(minutes(2));
    await bench.live(asWanted);
    assert.notEqual(await boots(), before);
  });
});

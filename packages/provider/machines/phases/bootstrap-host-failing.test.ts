import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { HOST_KEY_REFUSED, type HostTransport } from '@minifleet/host';
import { PASSWORD, passTime } from '@minifleet/host/testing';
import { fullHost } from '@minifleet/host/testing/plan';
import { agentHost } from '@minifleet/host/testing/steps';
import { Secret } from '@minifleet/secret';
import { type BootstrapBench, bootstrapBench } from '../../host-work/testing/bootstrap-bench.ts';
import { agentFleet, because, nodeFleet, passed, statusOf } from '../../host-work/testing/bootstrapped.ts';

/** A host that was delivered before the fleet had its key. */
const refusing = (transport: HostTransport): HostTransport => ({
  ...transport,
  hostKey: undefined,
  roundTrips: 0,
  close: () => transport.close(),
  run: async () => ({
    kind: 'unreached',
    error: HOST_KEY_REFUSED({ address: transport.address }),
    begun: false,
    stdout: Buffer.alloc(0),
    stderr: Buffer.alloc(0),
  }),
});

const directory = mkdtempSync(join(tmpdir(), 'minifleet-bootstrap-host-'));
after(() => rmSync(directory, { recursive: true, force: true }));

describe('a host that fails', () => {
  const failWith = (bench: BootstrapBench, detail: RegExp, times?: number): void =>
    bench.made.faults.add({
      kind: 'command',
      detail,
      fault: { type: 'fail', code: 1, message: 'no such luck' },
      ...(times === undefined ? {} : { times }),
    });

  test('waits for its next try, longer each time, however often it is looked at', async () => {
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one') });
    failWith(bench, /upload/);
    const waits: number[] = [];
    for (let failure = 1; failure <= 2; failure++) {
      const end = await bench.live(because('StepWaiting'));
      waits.push(end.again ?? 0);
      assert.equal(end.kind, 'waiting');
      assert.match(end.message ?? '', /^step agent-binary: .*no such luck/);
      for (let look = 0; look < 5; look++) assert.equal((await bench.pass()).reason, 'StepWaiting');
      const { steps, currentStep, job } = await statusOf(bench);
      const step = steps?.find(({ name }) => name === 'agent-binary');
      assert.deepEqual(
        [step?.state, step?.attempts, currentStep, job],
        ['Waiting', failure, 'agent-binary', undefined],
      );
      await bench.made.clock.advance(minutes(2));
    }
    assert.ok((waits[1] ?? 0) > (waits[0] ?? 0), waits.join());
  });

  test('goes on from the failures it had when the provider is another one', async () => {
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one') });
    failWith(bench, /upload/);
    await bench.live(because('StepWaiting'));
    bench.restart();
    assert.equal((await bench.pass()).reason, 'StepWaiting');
    await bench.made.clock.advance(minutes(1));
    await bench.live(end => end.reason === 'StepWaiting' && (end.again ?? 0) > 31_000);
    const { steps } = await statusOf(bench);
    assert.equal(steps?.find(({ name }) => name === 'agent-binary')?.attempts, 2);
  });

  test('is not tried again before its failure is seen to be written, though the cache lags behind', async () => {
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one') });
    failWith(bench, /upload/);
    const unborn = await bench.get();
    await bench.pass();
    const running = await bench.get();
    await bench.live(because('StepWaiting'));
    for (const stale of [running, unborn, running]) {
      assert.equal((await bench.pass(stale)).reason, 'StepWaiting');
      assert.equal(bench.parts.work.running, 0);
    }
    await bench.pass();
    const { steps, job } = await statusOf(bench);
    assert.deepEqual([steps?.find(({ name }) => name === 'agent-binary')?.attempts, job], [1, undefined]);
  });

  test('that was stopped in the middle is no failure, and is begun again', async () => {
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one') });
    await bench.live(end => /^step agent-job/.test(end.message ?? ''));
    const { uid = '' } = (await bench.get()).metadata;
    await passTime(bench.made.clock, bench.parts.work.cancel(uid, 'it was paused'));
    await bench.pass();
    assert.deepEqual((await statusOf(bench)).job, undefined);
    assert.ok(!(await statusOf(bench)).steps?.some(({ state, attempts }) => state === 'Running' || attempts));
    await bench.live(passed);
  });

  test('is begun again at once when its provider died under the run', async () => {
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one') });
    await bench.pass();
    const { job } = await statusOf(bench);
    assert.ok(job);
    bench.restart();
    await bench.pass();
    const again = await statusOf(bench);
    assert.ok(again.job);
    // The first process is still at it: the host's own lease keeps the second off, and that is no failure.
    const busy = await bench.live(end => /already changing/.test(end.message ?? ''));
    assert.equal(busy.reason, 'StepWaiting');
    assert.equal((await statusOf(bench)).steps?.find(({ name }) => name === '(host)')?.attempts, 0);
    await bench.live(passed);
  });

  test('is restarted through the vendor once, which is written down before it is asked, then given up', async () => {
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one') });
    failWith(bench, /upload/);
    const announced = await bench.live(because('RestartingHost'));
    assert.equal(announced.message, '3 consecutive failures; restarting the host through the vendor');
    assert.deepEqual(bench.vendor.calls, []);
    assert.equal((await statusOf(bench)).steps?.find(({ name }) => name === '(restart)')?.state, 'Waiting');
    await bench.pass();
    assert.deepEqual(
      bench.vendor.calls.map(({ call }) => call),
      ['reboot'],
    );
    const gone = await bench.live(end => end.reason === 'StepFailed' && /^given up/.test(end.message ?? ''));
    assert.match(gone.message ?? '', /given up after 8 consecutive failures at agent-binary/);
    assert.deepEqual(bench.effects, ['pin', ...pins(bench), 'failure agent-binary HostCommandFailed']);
    await bench.pass();
    const { spec, status } = await bench.get();
    assert.deepEqual(
      [spec.claimRef, spec.providerID, status?.steps, status?.plan],
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(bench.effects.slice(-2), ['release Quarantine', 'forget credentials']);
    assert.deepEqual(bench.vendor.calls.filter(({ call }) => call === 'reboot').length, 1);
    assert.ok(bench.events.some(({ reason }) => reason === 'HostGivenUp'));
  });

  test('a new host that rejects the fleet key is reinstalled once and then bootstrapped', async () => {
    const made = agentHost();
    const calls = (): string[] => bench.vendor.calls.map(({ call }) => call);
    const bench: BootstrapBench = await bootstrapBench(made, {
      fleet: agentFleet('one'),
      work: { openTransport: () => (calls().includes('reinstall') ? made.transport : refusing(made.transport)) },
    });
    const announced = await bench.live(because('ReinstallingHost'));
    assert.match(announced.message ?? '', /rejects the fleet key/);
    assert.deepEqual(calls(), []);
    await bench.pass();
    assert.deepEqual(calls(), ['reinstall']);
    assert.deepEqual(bench.effects.at(-1), 'forget credentials');
    await bench.live(passed);
    assert.deepEqual(calls(), ['reinstall']);
  });

  test('that let us in before and refuses the key now is not touched: after a move without the key its guests may run', async () => {
    const made = agentHost();
    const bench = await bootstrapBench(made, {
      fleet: agentFleet('one'),
      work: { openTransport: () => refusing(made.transport) },
    });
    bench.found.access = { user: 'm1', passwordRejected: false, hostKey: 'SHA256:seen' };
    const end = await bench.live(end => /SSH key rejected/.test(end.message ?? ''));
    assert.equal(end.kind, 'waiting');
    // Long enough for eight tries, one every half hour.
    await assert.rejects(bench.live(because('ReinstallingHost'), 18_000));
    assert.deepEqual(bench.vendor.calls, []);
    assert.ok(((await statusOf(bench)).steps?.[0]?.attempts ?? 0) > 8);
  });

  test('whose restart the vendor refuses is tried on, and the vendor is asked again after the next failure', async () => {
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one') });
    failWith(bench, /upload/);
    bench.vendor.failNext({ call: 'reboot', when: 'before' });
    await bench.live(because('RestartingHost'));
    await bench.pass();
    const { steps } = await statusOf(bench);
    assert.equal(steps?.find(({ name }) => name === '(restart)')?.state, 'Failed');
    await bench.live(end => /^4 consecutive failures/.test(end.message ?? ''));
    await bench.pass();
    assert.deepEqual(
      bench.vendor.calls.map(({ call }) => call),
      ['reboot', 'reboot'],
    );
    assert.equal((await statusOf(bench)).steps?.find(({ name }) => name === '(restart)')?.state, 'Done');
  });

  /** Nothing pins for these tests, so every run offers the key it saw. */
  const pins = ({ effects }: BootstrapBench): string[] => effects.filter(effect => effect === 'pin').slice(1);

  test('keeps the claim while the vendor has not begun to take it back', async () => {
    const release = async () => ({ kind: 'waiting', why: 'the vendor is busy' }) as const;
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one'), claims: { release } });
    failWith(bench, /upload/);
    const end = await bench.live(({ message = '' }) => message.includes('the vendor is busy'));
    assert.equal(end.kind, 'waiting');
    assert.ok((await bench.get()).spec.claimRef);
    assert.equal(bench.effects.filter(effect => effect.startsWith('failure')).length, 1);
  });

  test('I34 whose password is refused has that told, and is not tried with it again', async () => {
    const bench = await bootstrapBench(fullHost(directory, { password: 'another', token: '' }), { fleet: nodeFleet });
    const end = await bench.live(because('StepFailed'));
    assert.equal(end.kind, 'waiting');
    assert.deepEqual(bench.effects, ['pin', `password ${PASSWORD} rejected`]);
    const { plan } = await statusOf(bench);
    assert.equal(plan?.failed, plan?.desired);
  });

  test('I06 whose password is refused while a person writes another has the one told that was tried', async () => {
    const bench = await bootstrapBench(fullHost(directory, { password: 'another', token: '' }), { fleet: nodeFleet });
    await bench.pass();
    bench.found.access = { user: 'm1', passwordRejected: false, password: new Secret('password', 'another') };
    await bench.live(because('StepFailed'));
    assert.deepEqual(bench.effects, ['pin', `password ${PASSWORD} rejected`]);
  });

  test('that does not answer is said to be unreachable', async () => {
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one') });
    bench.made.mac.shutDown();
    const end = await bench.live(because('HostUnreachable'));
    assert.equal(end.kind, 'waiting');
    assert.match(end.message ?? '', /unreachable for/);
  });

  test('that runs past its deadline is stopped and says so', async () => {
    const bench = await bootstrapBench(agentHost(), {
      fleet: agentFleet('one'),
      work: { settings: { concurrency: 1, deadline: seconds(3) } },
    });
    const end = await bench.live(because('BootstrapDeadlineExceeded'));
    assert.equal(end.kind, 'waiting');
  });

  test('is left alone while the vendor is at it', async () => {
    const bench = await bootstrapBench(agentHost(), { fleet: agentFleet('one') });
    assert.ok(bench.found.server);
    bench.found.server = { ...bench.found.server, state: 'busy' };
    assert.equal((await bench.pass()).reason, 'HostUnreachable');
    assert.equal(bench.parts.work.running, 0);
  });
});

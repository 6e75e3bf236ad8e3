import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Clock, minutes, pause, seconds } from '@minifleet/clock';
import { HOST_UNREACHABLE, type HostTransport, readLease, readLedger } from '@minifleet/host';
import { passTime, testHost } from '@minifleet/host/testing';
import { anyStep, current, drift, fileNamed, fileSteps, needsReboot } from '@minifleet/host/testing/engine';
import { type Log, silentLog } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import { ended, slow, uidOf } from './testing/jobs.ts';
import { machineNamed } from './testing/machine.ts';
import { scopeOf } from './testing/scope.ts';
import { HOST_KEY, requestFor, workBench } from './testing/work-bench.ts';

/** Whatever answers nothing: every command hangs until its signal or its deadline. */
const silentTransport = (clock: Clock): HostTransport => ({
  address: 'm1@nowhere',
  hostKey: undefined,
  roundTrips: 0,
  async run({ signal, deadline }) {
    await pause(clock, deadline, signal);
    signal?.throwIfAborted();
    const error = HOST_UNREACHABLE({ address: 'm1@nowhere', why: 'no answer' });
    return { kind: 'unreached', begun: false, error, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  },
  close: async () => undefined,
});

describe('a job', () => {
  test('brings the host to its plan and says what the host told of itself', async () => {
    const bench = workBench();
    bench.work.start(requestFor('mini-01', fileSteps('one', 'two'), { desired: 'w-plan', attempts: { one: 2 } }));
    const job = await ended(bench, 'mini-01');
    assert.ok(job.state.kind === 'converged', job.state.kind);
    assert.equal(job.state.report.outcome, 'converged');
    assert.equal(job.state.hostKey, HOST_KEY);
    assert.deepEqual([job.plan, job.attempts, job.kind], ['w-plan', { one: 2 }, 'converge']);
    assert.deepEqual([...job.entries.keys()], ['one', 'two']);
    assert.equal(bench.mac.files.exists(bench.root, fileNamed('two').path), true);
    assert.deepEqual(bench.journal.gaps, []);
  });

  test('tells the addresses of the host', async () => {
    const bench = workBench({}, testHost({ address: '203.0.113.9' }));
    bench.work.start(requestFor('mini-01', fileSteps('one')));
    const { state } = await ended(bench, 'mini-01');
    assert.deepEqual(state.kind === 'converged' && state.facts.addresses, ['203.0.113.9']);
  });

  test('lets work onto the host last, after the boot that the other steps need', async () => {
    const made = testHost();
    const happened: string[] = [];
    const tell = ({ kind, step = '' }: { readonly kind?: string; readonly step?: string }): void =>
      void happened.push(`${kind} ${step}`.trim());
    const log: Log = { ...silentLog, child: () => ({ ...silentLog, info: tell }) };
    let state: 'missing' | 'written' | 'in force' = 'missing';
    made.mac.onBoot(() => {
      state = 'in force';
    });
    const needy = anyStep('needy', {
      inspect: async () =>
        ({ missing: drift('missing'), written: needsReboot('not yet'), 'in force': current() })[state],
      async change() {
        state = 'written';
        return [];
      },
    });
    const bench = workBench({ log }, made);
    bench.work.start(requestFor('mini-01', [...fileSteps('agent'), needy], { lastly: ['agent'] }));
    const job = await ended(bench, 'mini-01');
    assert.equal(job.state.kind === 'converged' && job.state.report.outcome, 'converged');
    const inOrder = ['changed needy', 'rebooting', 'back', 'changed agent'].map(what => happened.indexOf(what));
    assert.deepEqual(
      inOrder,
      inOrder.toSorted((one, other) => one - other),
      happened.join(),
    );
    assert.ok(!inOrder.includes(-1), happened.join());
  });

  test('of an inspection changes nothing and says what differs', async () => {
    const bench = workBench();
    bench.work.start(requestFor('mini-01', fileSteps('one'), { kind: 'inspect' }));
    const { state } = await ended(bench, 'mini-01');
    assert.ok(state.kind === 'inspected');
    assert.deepEqual(state.steps[0]?.differences, [`${fileNamed('one').path} is not there`]);
    assert.equal(bench.mac.files.exists(bench.root, fileNamed('one').path), false);
    assert.equal(await passTime(bench.clock, readLedger(bench.host)), undefined);
  });

  test('logs in with the fleet’s key, accepts the first host key and from then on only the pinned one', async () => {
    const bench = workBench();
    bench.work.start(requestFor('mini-01', fileSteps('one')));
    await ended(bench, 'mini-01');
    const pinned = { user: 'm1', passwordRejected: false, hostKey: HOST_KEY };
    const scope = scopeOf(machineNamed('mini-01'), { access: pinned });
    bench.work.start(requestFor('mini-01', fileSteps('one'), { scope }));
    await ended(bench, 'mini-01');
    assert.deepEqual(
      bench.dialled.map(({ hostKey }) => hostKey),
      [{ firstContact: 'accept' }, { pinned: HOST_KEY }],
    );
    const [first] = bench.dialled;
    assert.deepEqual([first?.address, first?.port, first?.user], ['203.0.113.1', 22, 'm1']);
    assert.equal(first?.privateKey.name, 'fleet key');
  });

  test('dials where it is told, for hosts behind a port forward', async () => {
    const bench = workBench({ reach: ({ name }) => ({ address: `${name}.test`, port: 2222 }) });
    bench.work.start(requestFor('mini-01', fileSteps('one')));
    await ended(bench, 'mini-01');
    assert.deepEqual([bench.dialled[0]?.address, bench.dialled[0]?.port], ['pool-1.test', 2222]);
  });

  test('without an address comes to no report and says why', async () => {
    const bench = workBench({ reach: () => undefined });
    bench.work.start(requestFor('mini-01', fileSteps('one')));
    const { state } = await ended(bench, 'mini-01');
    assert.match(String(state.kind === 'failed' && state.error), /reports no address/);
  });

  test('whose machine lost its claim touches nothing', async () => {
    const lost = new Error('the claim is another’s');
    const bench = workBench({ fence: () => Promise.reject(lost) });
    bench.work.start(requestFor('mini-01', fileSteps('one')));
    const { state } = await ended(bench, 'mini-01');
    assert.equal(state.kind === 'failed' && state.error, lost);
    assert.deepEqual(bench.dialled, []);
  });

  test('whose claim is lost while the host boots changes nothing', async () => {
    let asked = 0;
    const fence = async (): Promise<void> => {
      if (++asked > 1) throw new Error('the claim is another’s');
    };
    const bench = workBench({ fence });
    bench.work.start(requestFor('mini-01', fileSteps('one')));
    assert.equal((await ended(bench, 'mini-01')).state.kind, 'failed');
    assert.equal(bench.mac.files.exists(bench.root, fileNamed('one').path), false);
  });

  test('that never ends is stopped at its deadline, and the host is let go', async () => {
    const bench = workBench({ settings: { concurrency: 1, deadline: minutes(2) } });
    bench.work.start(requestFor('mini-01', [slow]));
    const { state, startedAt, heartbeatAt } = await ended(bench, 'mini-01');
    assert.match(String(state.kind === 'failed' && state.error), /exceeded 2m at step slow/);
    assert.ok(heartbeatAt - startedAt <= 135_000, String(heartbeatAt - startedAt));
    assert.equal((await passTime(bench.clock, readLease(bench.host)))?.held, false);
  });

  test('of a host that does not answer gives its place back after some minutes', async () => {
    const made = testHost();
    const bench = workBench({ openTransport: () => silentTransport(made.clock) }, made);
    bench.work.start(requestFor('mini-01', fileSteps('one')));
    const { state } = await ended(bench, 'mini-01');
    assert.match(String(state.kind === 'failed' && state.error), /unreachable for 5m/);
    assert.equal(bench.work.running, 0);
  });

  test('that loses its connection is told so, and the next one goes on', async () => {
    const bench = workBench();
    bench.faults.add({ kind: 'command', detail: /write-file/, fault: { type: 'drop', when: 'before' }, times: 1 });
    bench.work.start(requestFor('mini-01', fileSteps('one', 'two')));
    const { state } = await ended(bench, 'mini-01');
    assert.equal(state.kind === 'converged' && state.report.error?.code, 'HOST_CONNECTION_LOST');
    bench.work.start(requestFor('mini-01', fileSteps('one', 'two')));
    const again = await ended(bench, 'mini-01');
    assert.equal(again.state.kind === 'converged' && again.state.report.outcome, 'converged');
  });

  test('shows who holds the host meanwhile', async () => {
    const bench = workBench();
    bench.work.start(requestFor('mini-01', [slow]));
    await bench.clock.advance(seconds(5));
    assert.equal((await readLease(bench.host))?.holder, 'provider provider-0 for fleet/mini-01');
    await passTime(bench.clock, bench.work.cancel(uidOf('mini-01'), 'the test is over'));
  });

  test('tells no secret, even when the host repeats one', async () => {
    const bench = workBench();
    const secret = 'a-kubeconfig-with-a-token';
    const scope = scopeOf(machineNamed('mini-01'), {
      join: { kubeconfig: new Secret('kubeconfig', secret), expiresAt: 0 },
    });
    const loud = anyStep('loud', {
      inspect: async () => drift(`it says ${secret}`),
      change: () => Promise.reject(new Error(`it said ${secret}`)),
    });
    for (const kind of ['converge', 'inspect'] as const) {
      bench.work.start(requestFor('mini-01', [loud], { scope, kind }));
      const { state, entries, last } = await ended(bench, 'mini-01');
      const words = JSON.stringify([state, [...entries], last, String('error' in state && state.error)]);
      assert.ok(!words.includes(secret), words);
      assert.match(words, /\[kubeconfig\]/);
    }
  });
});

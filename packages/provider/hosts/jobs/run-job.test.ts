import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, minutes, pause, seconds } from '@minifleet/clock';
import { HOST_UNREACHABLE, type HostTransport, readLease, readLedger } from '@minifleet/host';
import { passTime, testHost } from '@minifleet/host/testing';
import { anyStep, current, drift, fileNamed, fileSteps, needsReboot } from '@minifleet/host/testing/engine';
import { type Log, silentLog } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import { hostAddresses } from './run-job.ts';
import { ended, HOST_KEY, jobBench, requestFor, slow } from './testing/job-bench.ts';

/** A host on which every command hangs until its signal or its deadline. */
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

test('a job applies its plan and reports its steps, the host key and the addresses of the host', async () => {
  const bench = jobBench({}, testHost({ address: '203.0.113.9' }));
  bench.jobs.start(requestFor('mini-01', fileSteps('one', 'two'), { desired: 'w-plan', attempts: { one: 2 } }));
  const job = await ended(bench, 'mini-01');
  assert.ok(job.state.kind === 'converged', job.state.kind);
  assert.equal(job.state.report.outcome, 'converged');
  assert.equal(job.state.hostKey, HOST_KEY);
  assert.deepEqual(job.state.addresses, ['203.0.113.9']);
  assert.deepEqual([job.plan, job.attempts, job.kind], ['w-plan', { one: 2 }, 'converge']);
  assert.deepEqual([...job.entries.keys()], ['one', 'two']);
  assert.equal(bench.mac.files.exists(bench.root, fileNamed('two').path), true);
  assert.deepEqual(bench.journal.gaps, []);
});

test('a job runs the steps that let workloads onto the host last, after the reboot that others need', async () => {
  const made = testHost();
  const happened: string[] = [];
  const info = ({ kind, step = '' }: { readonly kind?: string; readonly step?: string }): void =>
    void happened.push(`${kind} ${step}`.trim());
  const log: Log = { ...silentLog, child: () => ({ ...silentLog, info }) };
  let state: 'missing' | 'written' | 'active' = 'missing';
  made.mac.onBoot(() => {
    state = 'active';
  });
  const needy = anyStep('needy', {
    inspect: async () => ({ missing: drift('missing'), written: needsReboot('not yet'), active: current() })[state],
    async change() {
      state = 'written';
      return [];
    },
  });
  const bench = jobBench({ log }, made);
  bench.jobs.start(requestFor('mini-01', [...fileSteps('agent'), needy], { finalSteps: ['agent'] }));
  const job = await ended(bench, 'mini-01');
  assert.equal(job.state.kind === 'converged' && job.state.report.outcome, 'converged');
  const order = ['changed needy', 'rebooting', 'back', 'changed agent'].map(what => happened.indexOf(what));
  assert.ok(!order.includes(-1), happened.join());
  assert.deepEqual(
    order,
    order.toSorted((one, other) => one - other),
    happened.join(),
  );
});

test('an inspection changes nothing and reports what differs', async () => {
  const bench = jobBench();
  bench.jobs.start(requestFor('mini-01', fileSteps('one'), { kind: 'inspect' }));
  const { state } = await ended(bench, 'mini-01');
  assert.ok(state.kind === 'inspected');
  assert.deepEqual(state.steps[0]?.differences, [`${fileNamed('one').path} is not there`]);
  assert.equal(bench.mac.files.exists(bench.root, fileNamed('one').path), false);
  assert.equal(await passTime(bench.clock, readLedger(bench.host)), undefined);
});

test('a job logs in with the fleet key, accepts the first host key and then only the pinned one', async () => {
  const bench = jobBench();
  const access = { user: 'm1', passwordRejected: false };
  for (const pinned of [access, { ...access, hostKey: HOST_KEY }]) {
    bench.jobs.start(requestFor('mini-01', fileSteps('one'), { access: pinned }));
    await ended(bench, 'mini-01');
  }
  assert.deepEqual(
    bench.dialled.map(({ hostKey }) => hostKey),
    [{ firstContact: 'accept' }, { pinned: HOST_KEY }],
  );
  const [first] = bench.dialled;
  assert.deepEqual([first?.address, first?.port, first?.user], ['203.0.113.1', 22, 'm1']);
  assert.equal(first?.privateKey.name, 'fleet key');
});

test('a job whose host was claimed by another machine opens no connection', async () => {
  const lost = new Error('another machine holds the host');
  const bench = jobBench({ fence: () => Promise.reject(lost) });
  bench.jobs.start(requestFor('mini-01', fileSteps('one')));
  const { state } = await ended(bench, 'mini-01');
  assert.equal(state.kind === 'failed' && state.error, lost);
  assert.deepEqual(bench.dialled, []);
});

test('a job whose claim is lost while the host boots changes nothing', async () => {
  let asked = 0;
  const fence = async (): Promise<void> => {
    if (++asked > 1) throw new Error('another machine holds the host');
  };
  const bench = jobBench({ fence });
  bench.jobs.start(requestFor('mini-01', fileSteps('one')));
  assert.equal((await ended(bench, 'mini-01')).state.kind, 'failed');
  assert.equal(bench.mac.files.exists(bench.root, fileNamed('one').path), false);
});

test('a job that never ends is stopped at its deadline, and the host is free', async () => {
  const bench = jobBench({ settings: { concurrency: 1, deadline: minutes(2) } });
  bench.jobs.start(requestFor('mini-01', [slow]));
  const { state, startedAt, heartbeatAt } = await ended(bench, 'mini-01');
  assert.match(String(state.kind === 'failed' && state.error), /exceeded 2m at step slow/);
  assert.ok(heartbeatAt - startedAt <= 135_000, String(heartbeatAt - startedAt));
  assert.equal((await passTime(bench.clock, readLease(bench.host)))?.held, false);
});

test('a job on a host that does not respond ends after five minutes', async () => {
  const made = testHost();
  const bench = jobBench({ openTransport: () => silentTransport(made.clock) }, made);
  bench.jobs.start(requestFor('mini-01', fileSteps('one')));
  const { state } = await ended(bench, 'mini-01');
  assert.match(String(state.kind === 'failed' && state.error), /unreachable for 5m/);
  assert.equal(bench.jobs.running, 0);
});

test('a job that loses its connection reports it, and the next one continues', async () => {
  const bench = jobBench();
  bench.faults.add({ kind: 'command', detail: /write-file/, fault: { type: 'drop', when: 'before' }, times: 1 });
  bench.jobs.start(requestFor('mini-01', fileSteps('one', 'two')));
  const { state } = await ended(bench, 'mini-01');
  assert.equal(state.kind === 'converged' && state.report.error?.code, 'HOST_CONNECTION_LOST');
  bench.jobs.start(requestFor('mini-01', fileSteps('one', 'two')));
  const again = await ended(bench, 'mini-01');
  assert.equal(again.state.kind === 'converged' && again.state.report.outcome, 'converged');
});

test('the lease on the host names the provider and the machine of a job', async () => {
  const bench = jobBench();
  bench.jobs.start(requestFor('mini-01', [slow]));
  await bench.clock.advance(seconds(5));
  assert.equal((await readLease(bench.host))?.holder, 'provider provider-0 for fleet/of-mini-01');
  await passTime(bench.clock, bench.jobs.cancel('mini-01', 'the test is over'));
});

test('the result of a job has no secret, even if the host repeats one', async () => {
  const bench = jobBench();
  const secret = 'a-kubeconfig-with-a-token';
  const loud = anyStep('loud', {
    inspect: async () => drift(`the host printed ${secret}`),
    change: () => Promise.reject(new Error(`the host printed ${secret}`)),
  });
  for (const kind of ['converge', 'inspect'] as const) {
    bench.jobs.start(requestFor('mini-01', [loud], { kubeconfig: new Secret('kubeconfig', secret), kind }));
    const { state, entries, last } = await ended(bench, 'mini-01');
    const text = JSON.stringify([state, [...entries], last, String('error' in state && state.error)]);
    assert.ok(!text.includes(secret), text);
    assert.match(text, /\[kubeconfig\]/);
  }
});

const IFCONFIG = `lo0: flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> mtu 16384
	inet 127.0.0.1 netmask 0xff000000
	inet6 ::1 prefixlen 128
	inet6 fe80::1%lo0 prefixlen 64 scopeid 0x1
en0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	ether 4c:20:b8:aa:bb:cc
	inet6 fe80::1c2d:3e4f:5061:7283%en0 prefixlen 64 secured scopeid 0x4
	inet 203.0.113.7 netmask 0xffffff00 broadcast 203.0.113.255
	inet6 2001:db8::7 prefixlen 64 autoconf secured
	status: active
en1: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	inet 169.254.10.20 netmask 0xffff0000
vlan0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	inet 172.16.4.9 netmask 0xfffffc00 broadcast 172.16.7.255
bridge100: flags=8a63<UP,BROADCAST,SMART,RUNNING,ALLMULTI,SIMPLEX,MULTICAST> mtu 1500
	inet 192.168.64.1 netmask 0xffffff00 broadcast 192.168.64.255
utun4: flags=8051<UP,POINTOPOINT,RUNNING,MULTICAST> mtu 1280
	inet 100.101.102.103 --> 100.101.102.103 netmask 0xffffffff
`;

test('the addresses of a host are those of its networks, without loopback, link-local and VM networks', () => {
  assert.deepEqual(hostAddresses(IFCONFIG), ['203.0.113.7', '2001:db8::7', '172.16.4.9', '100.101.102.103']);
});

test('output that is not a list of interfaces has no addresses', () => {
  for (const output of ['', 'ifconfig: permission denied', 'en0: flags=1\n\tinet not-an-address netmask 0x0'])
    assert.deepEqual(hostAddresses(output), []);
});

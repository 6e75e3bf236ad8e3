import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause, seconds } from '@minifleet/clock';
import { type MacPart, m1, type Program, root } from '../mac.ts';

import { createTestMac } from '../testing/test-mac.ts';

import { processesOf } from './process-table.ts';

const job = { argv: ['/usr/local/bin/agent', '--flag'], user: m1, session: 'launchd' } as const;

test('a process is found by the last part of its path and ended by a signal', async () => {
  const { mac } = createTestMac();
  const table = processesOf(mac);
  const agent = table.start(job);
  assert.deepEqual(
    table.find('agent').map(({ pid }) => pid),
    [agent.pid],
  );
  assert.equal(table.signal(agent.pid, 'SIGTERM'), true);
  assert.deepEqual(await agent.exited, { signal: 'SIGTERM' });
  assert.equal(table.signal(agent.pid, 'SIGTERM'), false);
});

test('a process exits with the result of its body, and the body is aborted when killed', async () => {
  const { mac, clock } = createTestMac();
  const table = processesOf(mac);
  const quick = table.start({ ...job, body: async () => 3 });
  assert.deepEqual(await quick.exited, { code: 3 });
  const slow = table.start({ ...job, body: process => pause(clock, seconds(60), process.signal).then(() => 0) });
  table.signal(slow.pid, 'SIGKILL');
  assert.deepEqual(await slow.exited, { signal: 'SIGKILL' });
  assert.equal(clock.pending, 0);
});

test('a process may handle any signal but SIGKILL', () => {
  const { mac } = createTestMac();
  const table = processesOf(mac);
  const stubborn = table.start({ ...job, onSignal: () => 'handled' });
  table.signal(stubborn.pid, 'SIGHUP');
  assert.equal(stubborn.exit, undefined);
  table.signal(stubborn.pid, 'SIGKILL');
  assert.deepEqual(stubborn.exit, { signal: 'SIGKILL' });
});

test('exit listeners receive the reason when the kernel ends a process', () => {
  const { mac } = createTestMac();
  const table = processesOf(mac);
  const heard: unknown[] = [];
  table.onExit((process, reason) => heard.push([process.name, reason]));
  table.end(table.start(job).pid, { reason: 'OS_REASON_CODESIGNING' });
  assert.deepEqual(heard, [['agent', { reason: 'OS_REASON_CODESIGNING' }]]);
});

test('no process survives a reboot, and /tmp is empty after it', async () => {
  const { mac, clock } = createTestMac();
  processesOf(mac).start(job);
  mac.files.write(m1, '/tmp/left', 'x');
  const rebooting = mac.reboot();
  assert.equal(mac.running, false);
  assert.deepEqual(processesOf(mac).find(), []);
  await clock.advance(seconds(30));
  await rebooting;
  assert.equal(mac.running, true);
  assert.equal(mac.files.exists(root, '/tmp/left'), false);
});

test('a Mac switched off during a reboot stays off and leaves no timer', async () => {
  const { mac, clock } = createTestMac();
  const rebooting = mac.reboot();
  mac.shutDown();
  await rebooting;
  assert.deepEqual({ running: mac.running, timers: clock.pending }, { running: false, timers: 0 });
});

test('a copy of an installed program also runs; a removed or overwritten one does not', async () => {
  const { mac, run } = createTestMac();
  mac.install('/opt/tools/hello', process => {
    process.out('hello\n');
    return 0;
  });
  assert.equal((await run('cp /opt/tools/hello /tmp/h; /tmp/h')).out, 'hello\n');
  assert.ok(mac.findProgram('hello', '/opt/tools'));
  mac.files.remove(root, '/opt/tools/hello');
  assert.equal(mac.findProgram('hello', '/opt/tools'), undefined);
});

test('a Mac part can provide the program of an unknown binary and have the kernel kill it', async () => {
  const binary = Buffer.from([0xcf, 0xfa, 0xed, 0xfe, 0, 0, 0, 1]);
  const agent: Program = process => {
    process.out('loaded\n');
    return 0;
  };
  let broken = false;
  const part: MacPart = () => ({
    load: ({ content }) => (content.equals(binary) ? agent : undefined),
    refuse: ({ path }) => (broken && path === '/private/tmp/agent' ? { reason: 'OS_REASON_CODESIGNING' } : undefined),
  });
  const { mac, run } = createTestMac({ parts: [part] });
  mac.files.write(m1, '/tmp/agent', binary, { mode: 0o755 });
  assert.equal((await run('/tmp/agent')).out, 'loaded\n');
  broken = true;
  assert.equal((await run('/tmp/agent')).code, 137);
});

test('a fault can fail, delay, hang or kill any process', async () => {
  const { run, clock, faults } = createTestMac();
  faults.add({ kind: 'process', detail: /^date/, fault: { type: 'fail', code: 9, message: 'date: no time' } });
  faults.add({ kind: 'process', detail: /^id/, fault: { type: 'drop', when: 'before' } });
  faults.add({ kind: 'process', detail: /^whoami/, fault: { type: 'delay', by: seconds(30) } });
  faults.add({ kind: 'process', detail: /^hostname/, fault: { type: 'hang' } });
  assert.deepEqual(await run('date'), { code: 9, out: '', err: 'date: no time\n' });
  assert.equal((await run('id')).code, 137);
  const slow = run('whoami');
  await clock.advance(seconds(29));
  assert.equal(await Promise.race([slow.then(() => 'over'), Promise.resolve('waits')]), 'waits');
  await clock.advance(seconds(1));
  assert.equal((await slow).out, 'm1\n');
  const stop = new AbortController();
  const hanging = run('hostname', { signal: stop.signal });
  await clock.advance(seconds(3_600));
  stop.abort();
  assert.notEqual((await hanging).code, 0);
});

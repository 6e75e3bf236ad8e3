import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import type { ExecOptions } from '../guests/guest.ts';
import { openPodsBench } from './testing/pods-bench.ts';

const exec = (...command: string[]) => ({ exec: { command } });

test('a Pod is Ready only while its readiness probe succeeds', async () => {
  let healthy = false;
  const behave = () => ({ exec: () => ({ exitCode: healthy ? 0 : 1, output: 'not yet' }) });
  await using bench = await openPodsBench({ behave });
  const readinessProbe = { ...exec('check'), periodSeconds: 5, failureThreshold: 2 };
  await bench.create('one', { container: { readinessProbe } });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.until(() => bench.reasons().includes('Unhealthy'));
  assert.equal((await bench.container('one'))?.ready, false);
  healthy = true;
  await bench.advance(seconds(5));
  await bench.until(async () => (await bench.container('one'))?.ready);
  healthy = false;
  await bench.advance(seconds(5));
  assert.equal((await bench.container('one'))?.ready, true, 'one failure of two');
  await bench.advance(seconds(5));
  await bench.until(async () => (await bench.container('one'))?.ready === false);
  assert.match(
    bench.events.findLast(({ reason }) => reason === 'Unhealthy')?.note ?? '',
    /^Readiness probe failed: not yet/,
  );
});

test('a failed liveness probe restarts the container with exit code 143', async () => {
  await using bench = await openPodsBench({
    behave: ({ id }) => ({ exec: () => ({ exitCode: id.attempt === 0 ? 1 : 0 }) }),
  });
  const livenessProbe = { ...exec('check'), periodSeconds: 1, failureThreshold: 3 };
  await bench.create('one', { restartPolicy: 'OnFailure', container: { livenessProbe } });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.advance(seconds(3));
  await bench.until(() => bench.guests.started.length === 2);
  await bench.until(async () => (await bench.container('one'))?.state?.running);
  assert.equal((await bench.container('one'))?.lastState?.terminated?.exitCode, 143);
  const killing = bench.events.filter(({ reason }) => reason === 'Killing').map(({ note }) => note);
  assert.deepEqual(killing, ['Container vm failed liveness probe, will be restarted']);
  await bench.advance(seconds(30));
  assert.equal(bench.guests.started.length, 2);
});

test('no liveness probe runs before the startup probe succeeds', async () => {
  const asked: string[] = [];
  let started = false;
  const behave = () => ({
    exec: ({ argv }: ExecOptions) => {
      asked.push(argv[0]);
      return { exitCode: argv[0] === 'started' && !started ? 1 : 0 };
    },
  });
  await using bench = await openPodsBench({ behave });
  const startupProbe = { ...exec('started'), periodSeconds: 1, failureThreshold: 30 };
  await bench.create('one', { container: { startupProbe, livenessProbe: { ...exec('alive'), periodSeconds: 1 } } });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.advance(seconds(5));
  assert.ok(!asked.includes('alive'));
  assert.equal((await bench.container('one'))?.started, false);
  started = true;
  await bench.advance(seconds(2));
  await bench.until(async () => (await bench.container('one'))?.ready);
  assert.ok(asked.includes('alive'));
});

test('a Pod with restartPolicy Never fails if its startup probe never succeeds', async () => {
  await using bench = await openPodsBench({ behave: () => ({ exec: () => ({ exitCode: 1 }) }) });
  const startupProbe = { ...exec('started'), periodSeconds: 1, failureThreshold: 3 };
  await bench.create('one', { restartPolicy: 'Never', container: { startupProbe } });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.advance(seconds(3));
  await bench.until(async () => (await bench.phase('one')) === 'Failed');
});

test('httpGet and tcpSocket probes connect to the address of the guest', async () => {
  const server = createServer((request, response) => response.writeHead(request.url === '/ok' ? 200 : 500).end());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await using bench = await openPodsBench({ behave: () => ({ address: '127.0.0.1' }) });
  const ports = [{ name: 'web', containerPort: port }];
  const probes = {
    http: { httpGet: { path: '/ok', port: 'web' } },
    tcp: { tcpSocket: { port } },
    broken: { httpGet: { path: '/broken', port } },
  };
  for (const [name, readinessProbe] of Object.entries(probes)) {
    await bench.create(name, { container: { ports, readinessProbe: { ...readinessProbe, timeoutSeconds: 5 } } });
    if (name !== 'broken') await bench.until(async () => (await bench.container(name))?.ready, { what: name });
    else await bench.until(() => bench.events.some(({ note }) => note.includes('returned status 500')));
    await bench.delete(name, 0);
    await bench.until(() => bench.guests.all().length === 0);
  }
  await new Promise(resolve => server.close(resolve));
});

test('a preStop hook runs before its guest is shut down', async () => {
  const asked: string[] = [];
  const behave = () => ({
    exec: ({ argv }: ExecOptions) => {
      asked.push(argv.join(' '));
      return { after: seconds(4) };
    },
  });
  await using bench = await openPodsBench({ behave });
  await bench.create('one', { container: { lifecycle: { preStop: exec('drain', 'it') } } });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.delete('one');
  await bench.until(() => asked.length === 1);
  assert.equal(bench.guests.all()[0]?.state.phase, 'running');
  await bench.advance(seconds(4));
  await bench.until(async () => (await bench.get('one')) === undefined);
  assert.deepEqual(asked, ['drain it']);
});

test('a preStop hook that exceeds the grace period is aborted, and the guest gets two seconds', async () => {
  const behave = () => ({ ignoresShutdown: true, exec: () => ({ after: seconds(1_000) }) });
  await using bench = await openPodsBench({ behave });
  await bench.create('one', {
    terminationGracePeriodSeconds: 10,
    container: { lifecycle: { preStop: exec('drain') } },
  });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  await bench.delete('one');
  await bench.until(() => bench.reasons().includes('Killing'));
  await bench.advance(seconds(10));
  await bench.until(() => bench.reasons().includes('FailedPreStopHook'));
  await bench.advance(seconds(2));
  await bench.until(async () => (await bench.get('one')) === undefined);
});

test('a failed postStart hook fails the run', async () => {
  const behave = () => ({ exec: () => ({ exitCode: 1, output: 'no' }) });
  await using bench = await openPodsBench({ behave });
  await bench.create('one', { restartPolicy: 'Never', container: { lifecycle: { postStart: exec('prepare') } } });
  await bench.until(async () => (await bench.phase('one')) === 'Failed');
  assert.ok(bench.reasons().includes('FailedPostStartHook'));
});

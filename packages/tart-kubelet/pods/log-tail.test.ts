import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { openPodsBench } from './testing/pods-bench.ts';

test('FallbackToLogsOnError sets the log tail as message, and the log stays until the Pod is deleted', async () => {
  await using bench = await openPodsBench({ behave: () => ({ exits: { after: seconds(5), exitCode: 2 } }) });
  await bench.create('one', {
    restartPolicy: 'Never',
    container: { terminationMessagePolicy: 'FallbackToLogsOnError' },
  });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  const logFile = bench.guests.started[0]?.logFile ?? '';
  mkdirSync(path.dirname(logFile), { recursive: true });
  writeFileSync(logFile, '2030-01-01T00:00:00.000000000Z stderr F no such scheme\n');
  await bench.advance(seconds(5));
  await bench.until(async () => (await bench.phase('one')) === 'Failed');
  assert.equal((await bench.container('one'))?.state?.terminated?.message, 'no such scheme');
  await bench.until(() => bench.guests.all().length === 0);
  assert.ok(existsSync(logFile));
  await bench.delete('one');
  await bench.until(() => !existsSync(logFile));
});

test('I30 a Pod that tries to run a nested macOS VM fails with the reason and the next action', async () => {
  await using bench = await openPodsBench({ behave: () => ({ exits: { after: seconds(5), exitCode: 1 } }) });
  await bench.create('bake', { restartPolicy: 'Never' });
  await bench.until(async () => (await bench.phase('bake')) === 'Running');
  const logFile = bench.guests.started[0]?.logFile ?? '';
  mkdirSync(path.dirname(logFile), { recursive: true });
  const output = 'Error Domain=VZErrorDomain Code=2 "Virtualization is not available on this hardware."';
  writeFileSync(logFile, `2030-01-01T00:00:00.000000000Z stderr F ${output}\n`);
  await bench.advance(seconds(5));
  await bench.until(async () => (await bench.phase('bake')) === 'Failed');
  const message = (await bench.container('bake'))?.state?.terminated?.message ?? '';
  assert.match(message, /^nested macOS VM: not supported.* build images on a builder host/);
});

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startProcess } from './start-process.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

function sleeper(watchdog: Watchdog) {
  return startProcess({
    argv: ['sleep', '600'],
    environment: { PATH: '/usr/bin:/bin' },
    watchdog,
    output: { eachLine() {} },
  });
}

test('watchdog: closing it ends the held processes and removes the registered directories', async () => {
  const watchdog = startWatchdog();
  const directory = mkdtempSync(path.join(tmpdir(), 'minifleet-with spaces-'));
  writeFileSync(path.join(directory, 'data'), '');
  await watchdog.removeDirectory(directory);
  const processes = [await sleeper(watchdog), await sleeper(watchdog)];
  await watchdog.close();
  const exits = await Promise.all(processes.map(({ exited }) => exited));
  assert.deepEqual(
    exits.map(({ signal }) => signal),
    ['SIGKILL', 'SIGKILL'],
  );
  assert.ok(!existsSync(directory));
});

test('watchdog: a released process is left alone', async () => {
  const [watchdog, other] = [startWatchdog(), startWatchdog()];
  const [kept, freed, last] = [await sleeper(watchdog), await sleeper(watchdog), await sleeper(watchdog)];
  await watchdog.free(freed.pid);
  await other.hold(freed.pid);
  await watchdog.close();
  assert.equal((await kept.exited).signal, 'SIGKILL');
  assert.equal((await last.exited).signal, 'SIGKILL');
  assert.ok(freed.running);
  await other.close();
  assert.equal((await freed.exited).signal, 'SIGKILL');
});

test('watchdog: a program that cannot be started ends with the exit code of a shell', async () => {
  const watchdog = startWatchdog();
  const lines: string[] = [];
  const { exited } = await startProcess({
    argv: ['no-such-program'],
    environment: { PATH: '/nowhere' },
    watchdog,
    output: { eachLine: line => void lines.push(line) },
  });
  assert.equal((await exited).code, 127);
  assert.match(lines.join('\n'), /no-such-program/);
  await watchdog.close();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DaemonState, daemonDifferences, type LaunchDaemon, needsReload, renderDaemon } from './launch-daemon.ts';

import type { PrintedJob } from './printed-job.ts';

const daemon: LaunchDaemon = {
  label: 'agent',
  arguments: ['/bin/agent', '--one', '--two'],
  user: 'm1',
  environment: { A: 'secret' },
};
const job: PrintedJob = {
  state: 'running',
  pid: 1,
  runs: 1,
  arguments: daemon.arguments,
  environment: { A: 'secret', XPC_SERVICE_NAME: 'agent' },
  user: 'm1',
  logFile: undefined,
  keepAlive: false,
  lastExit: { code: undefined, signal: undefined, reason: undefined },
};
const place = { kind: 'file', mode: 0o644, uid: 0, gid: 0, size: 1 } as const;
const state = (more: Partial<DaemonState> = {}): DaemonState => ({
  propertyList: renderDaemon(daemon),
  place,
  job,
  disabled: false,
  ...more,
});

test('a daemon with file and job in sync has no differences', () => {
  assert.deepEqual(daemonDifferences(state(), daemon), []);
  assert.equal(needsReload(state(), daemon), false);
});

test('differences of a loaded job are described, environments by name only', () => {
  const held = {
    ...job,
    arguments: ['/bin/agent', '--one', '--old'],
    environment: { A: 'other' },
    user: 'root',
    logFile: '/l',
  };
  assert.deepEqual(daemonDifferences(state({ job: held }), daemon), [
    'launchd runs agent with --old, which is not expected',
    'launchd runs agent without --two',
    'launchd runs agent with another environment (A)',
    'launchd runs agent as root, expected m1',
    'agent logs to /l, expected no log file',
  ]);
  assert.equal(needsReload(state({ job: held }), daemon), true);
});

test('the order of daemon arguments is compared', () => {
  const held = { ...job, arguments: ['/bin/agent', '--two', '--one'] };
  assert.deepEqual(daemonDifferences(state({ job: held }), daemon), [
    'launchd runs agent with its arguments in another order',
  ]);
});

test('job fields that launchctl does not print are not compared', () => {
  assert.deepEqual(
    daemonDifferences(state({ job: { ...job, arguments: [], environment: {}, user: undefined } }), daemon),
    [],
  );
});

test('a property list writable by others is a difference without reload', () => {
  const open = state({ place: { ...place, mode: 0o666 } });
  assert.deepEqual(daemonDifferences(open, daemon), [
    '/Library/LaunchDaemons/agent.plist is writable by other users than root, expected root:wheel 0644',
  ]);
  assert.equal(needsReload(open, daemon), false);
});

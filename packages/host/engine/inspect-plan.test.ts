import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testHost } from '../testing/test-host.ts';
import { inspectPlan } from './inspect.ts';
import { createPlan } from './plan.ts';
import { needsReboot } from './step.ts';
import { anyStep, fileNamed, fileSteps } from './testing/small-steps.ts';

test('a whole plan is inspected in one round trip, without changes', async () => {
  const { host, mac, root, transport, journal } = testHost();
  const { path, content } = fileNamed('two');
  mac.files.write(root, path, content);
  const waiting = anyStep('waiting', { inspect: async () => needsReboot('written down, not in force') });
  const touched: string[] = [];
  mac.files.watch(changed => touched.push(changed));
  const reports = await inspectPlan(host, createPlan([...fileSteps('one', 'two'), waiting]));
  assert.deepEqual(
    reports.map(({ id, state, differences }) => [id, state, differences]),
    [
      ['one', 'drift', ['/etc/minifleet-one is not there']],
      ['two', 'current', []],
      ['waiting', 'needs reboot', ['written down, not in force']],
    ],
  );
  assert.equal(transport.roundTrips, 1);
  assert.deepEqual(touched, []);
  assert.deepEqual(journal.gaps, []);
});

test('a step that cannot be inspected is unknown, with the error as its difference', async () => {
  const { host } = testHost({ passwordlessSudo: false });
  const [report] = await inspectPlan(host, createPlan(fileSteps('one')));
  assert.equal(report?.state, 'unknown');
  assert.equal(report?.error?.code, 'HOST_SUDO_NEEDED');
  assert.match(report?.differences[0] ?? '', /: sudo asks for a password; run `minifleet prepare-fleet-host`/);
});

test('inspecting an unreachable host rejects with an error', async () => {
  const { host, mac } = testHost();
  mac.shutDown();
  await assert.rejects(inspectPlan(host, createPlan(fileSteps('one', 'two'))), { code: 'HOST_UNREACHABLE' });
});

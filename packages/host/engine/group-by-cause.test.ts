import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testHost } from '../testing/test-host.ts';
import { inspectPlan } from './inspect.ts';
import { createPlan } from './plan.ts';
import { describeCauses, groupByCause, stepMessages } from './report.ts';
import { fileNamed, fileSteps } from './testing/small-steps.ts';

test('steps that could not be inspected without sudo are grouped under one cause', async () => {
  const { host } = testHost({ passwordlessSudo: false });
  const reports = await inspectPlan(host, createPlan(fileSteps('one', 'two', 'three')));
  const groups = groupByCause(stepMessages(reports));
  assert.deepEqual(
    groups.map(({ steps }) => steps),
    [['one', 'two', 'three']],
  );
  assert.equal(groups[0]?.message, reports[0]?.error?.message);
});

test('step messages with different causes stay apart, in order of their first occurrence', () => {
  const messages = [
    { step: 'tart', message: 'Tart is missing' },
    { step: 'sudo', message: 'no sudo' },
    { step: 'xcode', message: 'no sudo' },
  ];
  assert.equal(describeCauses(messages), 'tart: Tart is missing; sudo, xcode: no sudo');
});

test('a current step has no message', async () => {
  const { host, mac, root } = testHost();
  const { path, content } = fileNamed('one');
  mac.files.write(root, path, content);
  const reports = await inspectPlan(host, createPlan(fileSteps('one', 'two')));
  assert.equal(describeCauses(stepMessages(reports)), 'two: /etc/minifleet-two is not there');
});

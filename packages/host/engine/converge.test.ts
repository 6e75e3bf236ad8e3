import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { testHost } from '../testing/test-host.ts';
import { readLedger } from './ledger.ts';
import { drift, type PlannedStep } from './step.ts';
import { bring, journalLines, states } from './testing/bring.ts';
import { anyStep, fileNamed, fileStep, fileSteps } from './testing/small-steps.ts';

test('a fresh host converges step by step, with a journal entry for each', async () => {
  const given = testHost();
  const report = await bring(given, fileSteps('one', 'two'));
  assert.equal(report.outcome, 'converged');
  assert.equal(report.changes, 2);
  assert.deepEqual(states(report), { one: 'current', two: 'current' });
  assert.deepEqual(journalLines(report), [
    'inspected',
    'changing one',
    'changed one',
    'changing two',
    'changed two',
    'converged',
  ]);
  assert.deepEqual(
    report.entries.map(({ message }) => message),
    [
      'out of sync: one, two',
      '/etc/minifleet-one is not there',
      '/etc/minifleet-one was written',
      '/etc/minifleet-two is not there',
      '/etc/minifleet-two was written',
      'all 2 steps are in sync',
    ],
  );
  assert.equal((await readLedger(given.host))?.converged, true);
});

test('a converged host gets no changes, in two round trips', async () => {
  const given = testHost();
  const steps = fileSteps('one', 'two', 'three');
  await bring(given, steps);
  const ledger = await readLedger(given.host);
  await given.clock.advance(seconds(60));
  const report = await bring(given, steps);
  assert.deepEqual([report.outcome, report.changes, report.roundTrips], ['converged', 0, 2]);
  assert.deepEqual(await readLedger(given.host), ledger);
});

test('a rollout of one changed file takes five round trips, with lease and ledger', async () => {
  const given = testHost();
  await bring(given, fileSteps('one', 'two', 'three'));
  const [one, , three] = fileSteps('one', 'two', 'three') as [PlannedStep, PlannedStep, PlannedStep];
  const two = fileStep('two', { ...fileNamed('two'), content: 'new\n' });
  const report = await bring(given, [one, two, three]);
  assert.deepEqual([report.outcome, report.changes, report.roundTrips], ['converged', 1, 5]);
});

test('a host in sync without a ledger gets one without an extra round trip', async () => {
  const given = testHost();
  const { path, content } = fileNamed('one');
  given.mac.files.write(given.root, path, content);
  const report = await bring(given, fileSteps('one'));
  assert.deepEqual([report.outcome, report.changes, report.roundTrips], ['converged', 0, 2]);
  const ledger = await readLedger(given.host);
  assert.equal(ledger?.steps['one']?.state, 'current');
  assert.equal(ledger?.holder, 'a test');
});

test('the first failed step stops converge, and later steps that are current stay current', async () => {
  const given = testHost();
  await bring(given, fileSteps('last'));
  const stubborn = anyStep('stubborn', { inspect: async () => drift('it is red, expected green') });
  const report = await bring(given, [...fileSteps('one'), stubborn, ...fileSteps('two', 'last')]);
  assert.equal(report.outcome, 'failed');
  assert.equal(report.error?.code, 'HOST_STEP_DID_NOT_CONVERGE');
  assert.match(report.error?.message ?? '', /still differs \(it is red, expected green\)$/);
  assert.deepEqual(states(report), { one: 'current', stubborn: 'failed', two: 'not reached', last: 'current' });
  assert.deepEqual(report.steps[2]?.differences, ['/etc/minifleet-two is not there']);
  const ledger = await readLedger(given.host);
  assert.equal(ledger?.converged, false);
  assert.deepEqual(
    Object.entries(ledger?.steps ?? {}).map(([id, { state, error }]) => [id, state, error?.code]),
    [
      ['one', 'current', undefined],
      ['stubborn', 'failed', 'HOST_STEP_DID_NOT_CONVERGE'],
      ['two', 'not reached', undefined],
      ['last', 'current', undefined],
    ],
  );
});

test('a step that would disturb more than allowed is held back, the others continue', async () => {
  const given = testHost();
  const harmful = fileStep('harmful', fileNamed('harmful'), { disturbs: 'running VMs' });
  const steps = [harmful, ...fileSteps('one')];
  const report = await bring(given, steps, { allow: 'new VMs' });
  assert.equal(report.outcome, 'held back');
  assert.deepEqual(states(report), { harmful: 'held back', one: 'current' });
  assert.match(
    report.entries.find(({ kind }) => kind === 'held back')?.message ?? '',
    /; would disturb running VMs, allowed: new VMs/,
  );
  assert.equal((await readLedger(given.host))?.steps['harmful']?.state, 'held back');
  assert.equal((await bring(given, steps, { allow: 'running VMs' })).outcome, 'converged');
});

test('a drift that disturbs less than its step is not held back', async () => {
  const given = testHost();
  let repaired = false;
  const mild = anyStep('mild', {
    disturbs: 'running VMs',
    inspect: async () => drift(repaired ? [] : 'a detail differs', 'nothing'),
    async change() {
      repaired = true;
      return [];
    },
  });
  assert.equal((await bring(given, [mild], { allow: 'nothing' })).outcome, 'converged');
});

test('converge with selected steps changes only these, and the ledger keeps the others', async () => {
  const given = testHost();
  const steps = fileSteps('one', 'two', 'three');
  const report = await bring(given, steps, { only: ['two'] });
  assert.deepEqual(states(report), { two: 'current' });
  assert.equal((await readLedger(given.host))?.converged, false);
  await bring(given, steps, { only: ['one', 'three'] });
  const ledger = await readLedger(given.host);
  assert.deepEqual(Object.keys(ledger?.steps ?? {}), ['one', 'two', 'three']);
  assert.equal(ledger?.converged, true);
  await assert.rejects(bring(given, steps, { only: ['four'] }), /the plan has no step four/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { openHost } from '../open-host.ts';
import { passTime, testHost } from '../testing/test-host.ts';
import { converge } from './converge.ts';
import { readLedger } from './ledger.ts';
import { createPlan } from './plan.ts';
import { drift, needsReboot } from './step.ts';
import { bring } from './testing/bring.ts';
import { anyStep, fileSteps } from './testing/small-steps.ts';

const sleepy = anyStep('sleepy', {
  timeout: minutes(10),
  inspect: async () => drift('it sleeps'),
  async change(host) {
    await host.run(['/bin/sleep', '300'], { timeout: minutes(6) });
    return [];
  },
});

test('a cancelled converge stops inside a step, releases the lease and leaves a correct ledger', async () => {
  const given = testHost();
  const stop = new AbortController();
  const options = { holder: 'ada', allow: 'nothing', reboot: 'never', redactor: given.redactor } as const;
  const plan = createPlan([...fileSteps('one'), sleepy, ...fileSteps('two')]);
  const work = converge(given.host, plan, { ...options, signal: stop.signal });
  await given.clock.advance(seconds(40));
  stop.abort();
  await assert.rejects(passTime(given.clock, work), { name: 'AbortError' });
  const ledger = await readLedger(given.host);
  assert.equal(ledger?.steps['one']?.state, 'current');
  assert.equal(ledger?.steps['sleepy']?.state, 'changing');
  assert.equal(given.mac.files.exists(given.root, '/etc/minifleet-two'), false);
  assert.equal((await bring(given, fileSteps('one', 'two'))).outcome, 'converged');
});

test('converge can be cancelled between steps, during inspections and during a reboot', async () => {
  const waiting = anyStep('waiting', { inspect: async () => needsReboot('not in force') });
  const moments = ['inspected', 'changing', 'changed', 'rebooting'];
  for (const moment of moments) {
    const given = testHost();
    const stop = new AbortController();
    const work = bring(given, [...fileSteps('one', 'two'), waiting], {
      allow: 'running VMs',
      reboot: 'when needed',
      signal: stop.signal,
      onEntry: ({ kind }) => kind === moment && stop.abort(),
    });
    await assert.rejects(work, { name: 'AbortError' }, moment);
    await given.clock.advance(minutes(1));
    assert.equal(given.clock.pending, 0, moment);
    assert.equal((await bring(given, fileSteps('one', 'two'))).outcome, 'converged', moment);
  }
});

test('converge with an aborted signal sends nothing to the host', async () => {
  const given = testHost();
  await assert.rejects(bring(given, fileSteps('one'), { signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.equal(given.transport.roundTrips, 0);
});

test('a cancelled converge also releases a host opened with the same signal', async () => {
  const given = testHost();
  const stop = new AbortController();
  const { transport, clock, redactor } = given;
  const host = openHost({ transport, user: 'm1', clock, redactor, signal: stop.signal });
  const work = bring({ ...given, host }, [sleepy], { signal: stop.signal });
  await clock.settle();
  stop.abort();
  await assert.rejects(work, { name: 'AbortError' });
  assert.equal((await bring(given, fileSteps('one'))).outcome, 'converged');
});

test('a hanging host does not delay a cancelled caller', async () => {
  const given = testHost();
  given.faults.add({ kind: 'command', fault: { type: 'hang' } });
  const stop = new AbortController();
  const began = given.clock.now();
  given.clock.after(seconds(3), () => stop.abort());
  await assert.rejects(bring(given, fileSteps('one'), { signal: stop.signal }), { name: 'AbortError' });
  assert.ok(given.clock.now() - began <= 15_000);
});

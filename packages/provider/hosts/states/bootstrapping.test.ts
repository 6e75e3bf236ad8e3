import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostContact, HostRemedies } from '@minifleet/api';
import { type BootstrapDecision, type BootstrapInput, decideBootstrap } from './bootstrapping.ts';
import { contactFailing, failing, LATER, NOW, PAST } from './testing/journals.ts';

const fresh: BootstrapInput = {
  now: NOW,
  journal: {},
  remedies: {},
  job: 'none',
  server: 'ready',
  canRestart: true,
  canReinstall: true,
  acceptedKey: false,
  settings: { rebootAfter: 3, giveUpAfter: 8 },
};
const runningJob = { id: 'x', startTime: PAST, deadlineTime: LATER };
const remedied = (remedies: HostRemedies) => remedies;
const keyRefused = (attempts: number, next?: string): HostContact =>
  contactFailing(attempts, next, { reason: 'HostKeyRefused' });

type Row = readonly [string, BootstrapInput, BootstrapDecision['do'], object?];

const rows: readonly Row[] = [
  ['a queued job is waited for', { ...fresh, job: 'queued' }, 'wait for the job'],
  ['a running job is waited for', { ...fresh, job: 'running' }, 'wait for the job'],
  ['an ended job is recorded', { ...fresh, job: 'ended' }, 'record the job'],
  ['a new host is bootstrapped', fresh, 'bootstrap'],
  ['a host that the vendor installs is left alone', { ...fresh, server: 'busy' }, 'wait for the vendor'],
  ['a host that only the vendor can repair is left alone', { ...fresh, server: 'broken' }, 'wait for the vendor'],
  [
    'a job that died with its process is repeated at once',
    { ...fresh, journal: { job: runningJob, steps: [failing('tart', 9, LATER)] } },
    'bootstrap',
  ],
  [
    'a failed step waits for its next attempt',
    { ...fresh, journal: { steps: [failing('tart', 1, LATER)] } },
    'wait for the next attempt',
    { at: NOW + 60_000 },
  ],
  [
    'a failed step is retried when it is due',
    { ...fresh, journal: { steps: [failing('tart', 1, PAST)] } },
    'bootstrap',
  ],
  [
    'an unreachable host waits, even if an older failure of a step is due',
    { ...fresh, journal: { steps: [failing('tart', 1, PAST)], contact: contactFailing(1, LATER) } },
    'wait for the next attempt',
    { at: NOW + 60_000 },
  ],
  [
    'a failure that needs an operator has no next attempt',
    { ...fresh, journal: { steps: [failing('sudo', 1)] } },
    'wait for the next attempt',
    { at: undefined },
  ],
  [
    'a host is restarted after three failures of a step',
    { ...fresh, journal: { steps: [failing('tart', 3, LATER)] } },
    'restart',
  ],
  [
    'a host is restarted after three failed connections',
    { ...fresh, journal: { contact: contactFailing(3, LATER) } },
    'restart',
  ],
  [
    'a host is restarted only once',
    {
      ...fresh,
      journal: { steps: [failing('tart', 5, LATER)] },
      remedies: remedied({ restart: { requestTime: PAST, attempts: 3, acceptedTime: PAST } }),
    },
    'wait for the next attempt',
  ],
  [
    'a restart that the vendor refused is requested again after the next failure',
    {
      ...fresh,
      journal: { steps: [failing('tart', 4, LATER)] },
      remedies: remedied({ restart: { requestTime: PAST, attempts: 3, refusal: 'no' } }),
    },
    'restart',
  ],
  [
    'a host that the vendor cannot restart is only retried',
    { ...fresh, canRestart: false, journal: { steps: [failing('tart', 4, PAST)] } },
    'bootstrap',
  ],
  [
    'a failure that a restart did not help causes no restart',
    { ...fresh, journal: { steps: [failing('local-network', 3, LATER, { reason: 'HostRebootIneffective' })] } },
    'wait for the next attempt',
  ],
  ['a host that rejects the fleet key is reinstalled', { ...fresh, journal: { contact: keyRefused(1) } }, 'reinstall'],
  [
    'a host that accepted the fleet key before is never reinstalled for it',
    { ...fresh, acceptedKey: true, journal: { contact: keyRefused(9, LATER) } },
    'wait for the next attempt',
  ],
  [
    'an owned Mac that rejects the fleet key waits for its operator',
    { ...fresh, canReinstall: false, canRestart: false, journal: { contact: keyRefused(1) } },
    'wait for the next attempt',
  ],
  ['a host is given up after eight failures', { ...fresh, journal: { steps: [failing('tart', 8, LATER)] } }, 'give up'],
  [
    'a host is given up after eight failures that a restart did not help',
    { ...fresh, journal: { steps: [failing('local-network', 8, LATER, { reason: 'HostRebootIneffective' })] } },
    'give up',
  ],
  [
    'a host is neither restarted nor given up if both are off',
    { ...fresh, settings: { rebootAfter: 0, giveUpAfter: 0 }, journal: { steps: [failing('tart', 99, LATER)] } },
    'wait for the next attempt',
  ],
  [
    'a host is not given up for a failure that it did not cause',
    { ...fresh, journal: { contact: contactFailing(99, LATER, { reason: 'HostIdentityChanged' }) } },
    'wait for the next attempt',
  ],
];

for (const [name, input, expected, details] of rows) {
  test(`Bootstrapping: ${name}`, () => {
    const decision = decideBootstrap(input);
    assert.equal(decision.do, expected);
    if (details) assert.deepEqual({ ...decision, ...details }, decision);
  });
}

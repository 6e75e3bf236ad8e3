import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, HostStep, MacHost, MacHostStatus } from '@minifleet/api';
import { memoryServer } from '@minifleet/vendors/testing';
import { localNetworkGranted } from './local-network.ts';
import { heldHost } from './testing/held-host.ts';

const AT = '2030-01-01T00:00:00Z';
const ghActionsRunner = { ghOrg: 'acme', ghRunnerLabels: 'macos', ghRunnerVersion: '' };
const server = memoryServer(1, { screen: '203.0.113.1:59010' });
const job = { id: 'job-1', startTime: AT, deadlineTime: '2030-01-01T01:00:00Z' };

const step = (state: HostStep['state'], reason?: string, message?: string): HostStep => ({
  ...{ name: 'local-network', state, lastTransitionTime: AT },
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});

/** A builder, with its last LocalNetworkGranted. */
function builder(status: MacHostStatus, before?: 'True' | 'False'): MacHost {
  const condition = { type: 'LocalNetworkGranted', reason: 'X', message: '', lastTransitionTime: AT };
  const conditions: Condition[] = before ? [{ ...condition, status: before }] : [];
  return heldHost({ desired: { nodeName: 'a', ghActionsRunner } }, { ...status, conditions });
}

const granted = (host: MacHost, more: Partial<Parameters<typeof localNetworkGranted>[1]> = {}) => {
  const { status, reason, message = '' } = localNetworkGranted(host, { server, isOff: false, ...more }) ?? {};
  return status && { value: `${status} ${reason}`, message };
};

const rows: readonly (readonly [string, HostStep | undefined, string, RegExp])[] = [
  ['a builder that no job has inspected', undefined, 'Unknown NotInspected', /no job has/],
  ['C6 a builder whose step is done', step('Done'), 'True AllowListActive', /^$/],
  [
    'I26 a builder whose allow-list is written and needs a boot',
    step('Waiting', 'RebootPending', 'the list is active after the next boot'),
    'False RebootPending',
    /^the list is active after the next boot; the Mac restarts .*, click Allow at vnc:\/\/203\.0\.113\.1:59010 when/,
  ],
  [
    'I26 a builder that was restarted without effect',
    step('Failed', 'HostRebootIneffective', 'the Mac was restarted; restart it by hand'),
    'False RebootIneffective',
    /restart it by hand; or click Allow at vnc:\/\/203\.0\.113\.1:59010/,
  ],
  [
    'a builder whose allow-list was removed',
    step('Waiting', 'DriftFound', 'the allow-list for Ethernet is not set'),
    'False AllowListNotActive',
    /^the allow-list for Ethernet is not set; .*vnc:/,
  ],
  [
    'a builder whose job did not reach the step',
    step('Waiting', 'NotReached'),
    'False AllowListNotActive',
    /^the step was not reached;/,
  ],
];
for (const [name, found, value, message] of rows)
  test(`LocalNetworkGranted of ${name}: ${value}`, () => {
    const note = granted(builder({ steps: found ? [found] : [] }));
    assert.equal(note?.value, value);
    assert.match(note?.message ?? '', message);
  });

test('LocalNetworkGranted does not change during a job: a written allow-list is not active yet', () => {
  const running: MacHostStatus = { job, steps: [step('Done')] };
  assert.equal(granted(builder(running))?.value, 'Unknown NotInspected');
  for (const before of ['True', 'False'] as const) assert.equal(granted(builder(running, before)), undefined);
});

test('LocalNetworkGranted does not change while the vendor does not report the server', () => {
  assert.equal(granted(builder({ steps: [step('Done')] }, 'False'), { server: undefined }), undefined);
});

test('LocalNetworkGranted is Unknown if the allow-list is off, even if its removal is done', () => {
  const note = granted(builder({ steps: [step('Done')] }), { isOff: true });
  assert.equal(note?.value, 'Unknown ManagedExternally');
  assert.match(note?.message ?? '', /vnc:\/\/203\.0\.113\.1:59010/);
});

test('LocalNetworkGranted names the default port without a screen, and no URL without an address', () => {
  const pending = builder({ steps: [step('Waiting', 'RebootPending', '')] });
  const { screen: _screen, ...plain } = server;
  assert.match(granted(pending, { server: plain })?.message ?? '', /vnc:\/\/203\.0\.113\.1:5900 /);
  const { address: _address, ...hidden } = plain;
  assert.match(granted(pending, { server: hidden })?.message ?? '', /click Allow on its screen/);
});

test('a host that is not a builder needs no Local Network permission', () => {
  assert.equal(granted(heldHost())?.value, 'True NotNeeded');
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostStep, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { memoryServer } from '@minifleet/vendors/testing';
import { localNetworkGranted } from './local-network-granted.ts';
import { phase, waiting } from './phase.ts';
import { machineBench } from './testing/machine-bench.ts';
import { phasesWith } from './testing/phases.ts';
import { scopeOf } from './testing/scope-of.ts';

const ghActionsRunner = { ghOrg: 'acme', ghRunnerLabels: 'macos' };
const claimRef = { name: '5e70e700-0000-4000-8000-000000000001', epoch: 1 };
const server = memoryServer(1, { screen: '203.0.113.1:59010' });
const job = { id: 'job-1', startTime: '2030-01-01T00:00:00Z', deadlineTime: '2030-01-01T01:00:00Z' };

const step = (state: HostStep['state'], reason?: string, message?: string): HostStep => ({
  ...{ name: 'local-network', state, lastTransitionTime: '2030-01-01T00:00:00Z' },
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});

function builder(status: ScalewayAppleSiliconMachine['status'], said?: 'True' | 'False'): ScalewayAppleSiliconMachine {
  const { samm } = scopeOf({ spec: { ghActionsRunner, claimRef } }, said ? { LocalNetworkGranted: said } : {});
  samm.status = { ...samm.status, ...status };
  return samm;
}

const said = (samm: ScalewayAppleSiliconMachine, more: Partial<Parameters<typeof localNetworkGranted>[1]> = {}) => {
  const { status, reason, message } = localNetworkGranted(samm, { server, off: false, ...more }) ?? {};
  return status && { says: `${status} ${reason}`, message: message ?? '' };
};

describe('LocalNetworkGranted of a builder', () => {
  const table: readonly (readonly [string, HostStep | undefined, string, RegExp])[] = [
    ['that no run has told of', undefined, 'Unknown NotInspected', /no job has/],
    ['whose step is done', step('Done'), 'True AllowListActive', /^$/],
    [
      'I26 whose list is written and waits for a boot',
      step('Waiting', 'RebootPending', 'the list counts from the next boot'),
      'False RebootPending',
      /^the list counts from the next boot; the Mac restarts .*, click Allow at vnc:\/\/203\.0\.113\.1:59010 when/,
    ],
    [
      'I26 that was restarted in vain',
      step('Failed', 'HostRebootIneffective', 'it was restarted; restart it by hand'),
      'False RebootIneffective',
      /restart it by hand; or click Allow at vnc:\/\/203\.0\.113\.1:59010/,
    ],
    [
      'whose list somebody took away',
      step('Waiting', 'DriftFound', 'the allow-list for Ethernet is not set'),
      'False AllowListNotActive',
      /^the allow-list for Ethernet is not set; .*vnc:/,
    ],
    [
      'whose run did not come so far',
      step('Waiting', 'NotReached'),
      'False AllowListNotActive',
      /^the step was not reached;/,
    ],
  ];
  for (const [name, found, says, words] of table)
    test(`${name}: ${says}`, () => {
      const told = said(builder({ steps: found ? [found] : [] }));
      assert.equal(told?.says, says);
      assert.match(told?.message ?? '', words);
    });

  test('is said of no run before its end: written is not in force', () => {
    const told = { job, steps: [step('Done')] };
    assert.equal(said(builder(told))?.says, 'Unknown NotInspected');
    for (const before of ['True', 'False'] as const) assert.equal(said(builder(told, before)), undefined);
  });

  test('stays as it was said while the vendor does not show the host', () => {
    assert.equal(said(builder({ steps: [step('Done')] }, 'False'), { server: undefined }), undefined);
  });

  test('is not ours to tell where the allow-list is turned off, also when taking it off is done', () => {
    const told = said(builder({ steps: [step('Done')] }), { off: true });
    assert.equal(told?.says, 'Unknown ManagedExternally');
    assert.match(told?.message ?? '', /vnc:\/\/203\.0\.113\.1:59010/);
  });

  test('names the usual port where the vendor tells of no screen, and none where it shows no address', () => {
    const pending = builder({ steps: [step('Waiting', 'RebootPending', '')] });
    const { screen: _, ...blind } = server;
    assert.match(said(pending, { server: blind })?.message ?? '', /vnc:\/\/203\.0\.113\.1:5900 /);
    const { address: __, ...nowhere } = blind;
    assert.match(said(pending, { server: nowhere })?.message ?? '', /click Allow on its screen/);
  });
});

test('a host that bakes nothing needs no Local Network permission', () => {
  assert.equal(said(scopeOf().samm)?.says, 'True NotNeeded');
});

test('LocalNetworkGranted is reported even if bootstrap stops at a pending step, and Ready reports that step', async () => {
  const pending = step('Waiting', 'RebootPending', 'it waits for a boot');
  const phases = phasesWith(
    phase('HostBootstrapped', async ({ samm }) => {
      samm.status = { ...samm.status, steps: [pending] };
      return waiting('StepWaiting', 'a later step failed');
    }),
  );
  const bench = await machineBench({ phases, servers: [{ name: 'tuist-pool-1', screen: '203.0.113.1:59010' }] });
  try {
    await bench.cluster();
    await bench.machine('a', { ghActionsRunner });
    const { status, reason, message = '' } = (await bench.condition('a', 'LocalNetworkGranted')) ?? {};
    assert.deepEqual([status, reason], ['False', 'RebootPending']);
    assert.match(message, /vnc:\/\/203\.0\.113\.1:59010/);
    assert.match((await bench.condition('a', 'Ready'))?.message ?? '', /^HostBootstrapped StepWaiting/);
  } finally {
    await bench.stop();
  }
});

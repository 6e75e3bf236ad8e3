import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { defineError, type Retry } from '@minifleet/errors';
import { findCondition } from '@minifleet/kube';
import type { MachineDeps } from './machine-scope.ts';
import { noted, type Phase, passed, phase, waiting } from './phase.ts';
import { outcomeOf, runPhases } from './run-phases.ts';
import { scopeOf } from './testing/scope-of.ts';

const deps = { clock: fakeClock() } as unknown as MachineDeps;

const cluster = phase('ClusterReady', async () => passed('ClusterReady', '', minutes(5)));
const image = phase('OSImageCurrent', async () => noted('ImageRetired', 'it is retired', minutes(1)));
const token = phase('JoinMaterialReady', async () =>
  waiting('EndpointUnknown', 'the endpoint is unknown', seconds(30)),
);
const node = phase('NodeReady', async () => assert.fail('it was reached'));
const throwing = (error: unknown): Phase =>
  phase('HostClaimed', async () => {
    throw error;
  });
const failing = (retry: Retry, reason = 'VendorUnavailable') =>
  defineError('FAILING', { retry, reason, text: 'the vendor says no' })();

describe('the phases', () => {
  test('phases run until one waits; each sets its condition, and later conditions stay as they were', async () => {
    const scope = scopeOf({}, { NodeReady: 'True' });
    const { results } = await runPhases([cluster, image, token, node], scope, deps);
    assert.deepEqual(
      results.map(({ condition, end }) => [condition, end.kind]),
      [
        ['ClusterReady', 'passed'],
        ['OSImageCurrent', 'noted'],
        ['JoinMaterialReady', 'waiting'],
      ],
    );
    const said = ['ClusterReady', 'OSImageCurrent', 'JoinMaterialReady', 'NodeReady'].map(type => {
      const { status, reason } = findCondition(scope.machine, type) ?? {};
      return `${status} ${reason}`;
    });
    assert.deepEqual(said, ['True ClusterReady', 'False ImageRetired', 'False EndpointUnknown', 'True NodeReady']);
  });

  test('the next reconcile is at the earliest time that a phase requested', async () => {
    const run = await runPhases([cluster, image, token], scopeOf(), deps);
    assert.deepEqual(outcomeOf(run), {
      type: 'again',
      after: seconds(30),
      why: 'JoinMaterialReady: the endpoint is unknown',
    });
    assert.equal(outcomeOf({ results: [], unobserved: false }).type, 'settled');
    const end = waiting('WaitingForNode', 'no Node');
    assert.equal(outcomeOf({ results: [{ condition: 'NodeReady', end }], unobserved: false }).type, 'waiting');
  });

  test('phases stop at one that throws; its condition has the message of the catalogue, and the error is thrown', async () => {
    const error = failing('backoff');
    const scope = scopeOf();
    const run = await runPhases([throwing(error), node], scope, deps);
    assert.equal(run.failure?.error, error);
    assert.deepEqual(
      run.results.map(({ end }) => end),
      [{ kind: 'waiting', reason: 'VendorUnavailable', message: 'the vendor says no' }],
    );
    assert.equal(findCondition(scope.machine, 'HostClaimed')?.status, 'False');
  });

  test('a phase shows neither a reason that its condition does not have nor the message of an unknown error', async () => {
    const said = async (error: unknown) => {
      const scope = scopeOf();
      await runPhases([throwing(error)], scope, deps);
      const { reason, message } = findCondition(scope.machine, 'HostClaimed') ?? {};
      return { reason, message };
    };
    assert.deepEqual(await said(failing('backoff', 'Unheard')), {
      reason: 'InternalError',
      message: 'the vendor says no',
    });
    const { reason, message = '' } = await said(new Error('password hunter2 refused'));
    assert.equal(reason, 'InternalError');
    assert.doesNotMatch(message, /hunter2/);
  });

  test('a phase that cannot observe leaves its condition as it was; one that observed a change does not', async () => {
    const table: readonly (readonly [Retry, string])[] = [
      ['backoff', 'True'],
      [{ after: seconds(1) }, 'True'],
      ['operator', 'False'],
      ['untilSpecChanges', 'False'],
    ];
    for (const [retry, status] of table) {
      const scope = scopeOf({}, { HostClaimed: 'True' });
      const run = await runPhases([throwing(failing(retry))], scope, deps);
      const condition = findCondition(scope.machine, 'HostClaimed');
      assert.equal(condition?.status, status, JSON.stringify(retry));
      assert.equal(condition?.message, 'the vendor says no');
      assert.equal(run.unobserved, status === 'True');
    }
  });
});

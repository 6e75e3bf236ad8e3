import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { MachineDeps } from '../machine-scope.ts';
import { fakeForge } from '../testing/fakes.ts';
import { scopeOf } from '../testing/scope-of.ts';
import { builderRunnerOnline } from './builder-runner.ts';

const ghActionsRunner = { ghOrg: 'acme', ghRunnerLabels: 'macos' };

describe('the runner of a builder', () => {
  const clock = fakeClock();
  const table: readonly (readonly ['online' | 'busy' | 'offline' | 'absent', boolean, string])[] = [
    ['online', false, 'passed RunnerOnline'],
    ['busy', true, 'passed RunnerOnline'],
    ['offline', false, 'waiting RunnerOffline'],
    ['offline', true, 'noted RunnerOffline'],
    ['absent', false, 'waiting RunnerNotRegistered'],
    ['absent', true, 'noted RunnerNotRegistered'],
  ];
  for (const [state, provisioned, expected] of table) {
    test(`the runner of a builder that is ${state} ${provisioned ? 'on a provisioned machine' : 'on a new machine'}: ${expected}`, async () => {
      const scope = scopeOf({ spec: { ghActionsRunner } });
      scope.machine.status = { initialization: { provisioned } };
      const forge = { ...fakeForge(), state: async () => state };
      const end = await builderRunnerOnline.run(scope, { forge, clock } as unknown as MachineDeps);
      assert.equal(`${end.kind} ${end.reason}`, expected);
      assert.ok(end.again, 'GitHub reports no changes');
    });
  }

  test('a runner of a builder that was online and is missing is polled after a second, then every minute', async () => {
    const forge = { ...fakeForge(), state: async () => 'absent' as const };
    const pollAfter = async (before: 'True' | 'False', provisioned: boolean) => {
      const scope = scopeOf({ spec: { ghActionsRunner } }, { BuilderRunnerOnline: before });
      scope.machine.status = { ...scope.machine.status, initialization: { provisioned } };
      return (await builderRunnerOnline.run(scope, { forge, clock } as unknown as MachineDeps)).again;
    };
    assert.deepEqual([await pollAfter('True', true), await pollAfter('False', true)], [seconds(1), minutes(1)]);
  });

  test('a runner of a new builder is polled less often the longer it is missing', async () => {
    const forge = { ...fakeForge(), state: async () => 'absent' as const };
    const pollAfterWaiting = async (waited: number | undefined) => {
      const scope = scopeOf({ spec: { ghActionsRunner } });
      const lastTransitionTime = new Date(clock.now() - (waited ?? 0)).toISOString();
      const missed = {
        type: 'BuilderRunnerOnline',
        status: 'False',
        reason: 'x',
        message: '',
        lastTransitionTime,
      } as const;
      scope.machine.status = { conditions: waited === undefined ? [] : [missed] };
      return (await builderRunnerOnline.run(scope, { forge, clock } as unknown as MachineDeps)).again;
    };
    assert.deepEqual(await Promise.all([undefined, seconds(0), seconds(10), minutes(60)].map(pollAfterWaiting)), [
      seconds(3),
      seconds(3),
      seconds(5),
      seconds(15),
    ]);
  });

  test('a host without a runner is not polled at GitHub', async () => {
    const end = await builderRunnerOnline.run(scopeOf(), {} as MachineDeps);
    assert.equal(`${end.kind} ${end.reason}`, 'passed NotABuilder');
  });
});

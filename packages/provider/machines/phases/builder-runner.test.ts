import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { MachineParts } from '../parts.ts';
import { fakeRunners } from '../testing/fake-parts.ts';
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
  for (const [state, provisioned, wanted] of table) {
    test(`that is ${state} ${provisioned ? 'on a machine that serves' : 'on a new machine'}: ${wanted}`, async () => {
      const scope = scopeOf({ spec: { ghActionsRunner } });
      scope.samm.status = { initialization: { provisioned } };
      const runners = { ...fakeRunners([]), state: async () => state };
      const end = await builderRunnerOnline.run(scope, { runners, clock } as unknown as MachineParts);
      assert.equal(`${end.kind} ${end.reason}`, wanted);
      assert.ok(end.again, 'nobody tells us when it changes');
    });
  }

  test('that was there and is missed has its host looked at in the next pass, and is looked for every minute then', async () => {
    const runners = { ...fakeRunners([]), state: async () => 'absent' as const };
    const look = async (before: 'True' | 'False', provisioned: boolean) => {
      const scope = scopeOf({ spec: { ghActionsRunner } }, { BuilderRunnerOnline: before });
      scope.samm.status = { ...scope.samm.status, initialization: { provisioned } };
      return (await builderRunnerOnline.run(scope, { runners, clock } as unknown as MachineParts)).again;
    };
    assert.deepEqual([await look('True', true), await look('False', true)], [seconds(1), minutes(1)]);
  });

  test('of a new machine is looked for soon and, the longer it does not come, the less often', async () => {
    const runners = { ...fakeRunners([]), state: async () => 'absent' as const };
    const lookAfter = async (waited: number | undefined) => {
      const scope = scopeOf({ spec: { ghActionsRunner } });
      const lastTransitionTime = new Date(clock.now() - (waited ?? 0)).toISOString();
      const missed = {
        type: 'BuilderRunnerOnline',
        status: 'False',
        reason: 'x',
        message: '',
        lastTransitionTime,
      } as const;
      scope.samm.status = { conditions: waited === undefined ? [] : [missed] };
      return (await builderRunnerOnline.run(scope, { runners, clock } as unknown as MachineParts)).again;
    };
    assert.deepEqual(await Promise.all([undefined, seconds(0), seconds(10), minutes(60)].map(lookAfter)), [
      seconds(3),
      seconds(3),
      seconds(5),
      seconds(15),
    ]);
  });

  test('is not asked for on an ordinary host', async () => {
    const end = await builderRunnerOnline.run(scopeOf(), {} as MachineParts);
    assert.equal(`${end.kind} ${end.reason}`, 'passed NotABuilder');
  });

  test('is waited for where no forge is set up', async () => {
    const end = await builderRunnerOnline.run(scopeOf({ spec: { ghActionsRunner } }), {} as MachineParts);
    assert.equal(`${end.kind} ${end.reason}`, 'waiting RunnerNotRegistered');
    assert.match(end.message ?? '', /GitHub is not configured/);
  });
});

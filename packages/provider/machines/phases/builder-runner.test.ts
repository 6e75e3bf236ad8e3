import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MachineParts } from '../parts.ts';
import { fakeRunners } from '../testing/fake-parts.ts';
import { scopeOf } from '../testing/scope-of.ts';
import { builderRunnerOnline } from './builder-runner.ts';

const ghActionsRunner = { ghOrg: 'acme', ghRunnerLabels: 'macos' };

describe('the runner of a builder', () => {
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
      const end = await builderRunnerOnline.run(scope, { runners } as unknown as MachineParts);
      assert.equal(`${end.kind} ${end.reason}`, wanted);
      assert.ok(end.again, 'nobody tells us when it changes');
    });
  }

  test('is not asked for on an ordinary host', async () => {
    const end = await builderRunnerOnline.run(scopeOf(), {} as MachineParts);
    assert.equal(`${end.kind} ${end.reason}`, 'passed NotABuilder');
  });

  test('is waited for where no forge is set up', async () => {
    const end = await builderRunnerOnline.run(scopeOf({ spec: { ghActionsRunner } }), {} as MachineParts);
    assert.equal(`${end.kind} ${end.reason}`, 'waiting RunnerNotRegistered');
    assert.match(end.message ?? '', /no forge is set up/);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Node } from '@minifleet/kube';
import type { MachineParts } from '../machines/parts.ts';
import { fakeRunners } from '../machines/testing/fake-parts.ts';
import { bakeOnHost } from './bake-on-host.ts';
import { machineNamed } from './testing/machine.ts';
import { scopeOf } from './testing/scope.ts';

const builder = machineNamed('mini-01', { ghActionsRunner: { ghOrg: 'acme', ghRunnerLabels: 'self-hosted' } });

const nodeWith = (ready: string, foreign: string): Node =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'mini-01' },
    status: {
      conditions: [
        { type: 'Ready', status: ready },
        { type: 'ForeignVMs', status: 'True', reason: foreign, message: 'VMs that are not ours: tuist-runner' },
      ],
    },
  }) as unknown as Node;

const seen = (runners?: MachineParts['runners'], node?: Node, samm = builder): Promise<string | undefined> =>
  bakeOnHost({ ...scopeOf(samm), node }, runners ? { runners } : {});

describe('a bake on a builder', () => {
  test('is the job its runner has', async () => {
    const runners = fakeRunners([]);
    assert.equal(await seen(runners), undefined);
    runners.now = 'busy';
    assert.equal(await seen(runners), 'its runner mini-01 is running a job');
  });

  test('is taken to be there where nobody can be asked', async () => {
    const silent = { ...fakeRunners([]), state: () => Promise.reject(new Error('GitHub is away')) };
    assert.equal(await seen(silent), 'the state of its runner is unknown: GitHub is away');
    assert.match((await seen()) ?? '', /GitHub is not configured/);
  });

  test('is a VM that somebody runs there by hand, told by its agent', async () => {
    const runners = fakeRunners([]);
    assert.equal(await seen(runners, nodeWith('True', 'ForeignVMsRunning')), 'VMs that are not ours: tuist-runner');
    assert.equal(await seen(runners, nodeWith('True', 'ForeignVMsStopped')), undefined);
    assert.equal(await seen(runners, nodeWith('Unknown', 'ForeignVMsRunning')), undefined, 'what was true once');
  });

  test('is on no other host', async () => {
    assert.equal(
      await seen(fakeRunners([]), nodeWith('True', 'ForeignVMsRunning'), machineNamed('mini-01')),
      undefined,
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MachineDeps, MachineScope } from '../machine-scope.ts';
import { nodeOf, PROVIDER_ID, scopeOf } from '../testing/scope-of.ts';
import { judgeNode, nodeReady } from './node-ready.ts';

const up = { status: 'True' };
const down = { status: 'False', reason: 'KubeletNotReady', message: 'GUISessionReady: nobody is logged in' };

describe('the Node of a machine', () => {
  const table: readonly (readonly [string, Partial<MachineScope>, string, RegExp])[] = [
    ['is waited for', {}, 'WaitingForNode', /has not registered the Node a/],
    ['may not have its providerID yet', { node: nodeOf(undefined, up) }, 'WaitingForNode', /has no providerID yet/],
    [
      'of another host is a mismatch',
      { node: nodeOf('aws://x', up) },
      'ProviderIDMismatch',
      /has the providerID aws:\/\/x/,
    ],
    [
      'that has a twin is bound by nobody',
      { node: nodeOf(PROVIDER_ID, up), duplicateNodes: ['b'] },
      'ProviderIDMismatch',
      /also set on b/,
    ],
    ['that has not reported is not Ready', { node: nodeOf(PROVIDER_ID) }, 'NodeNotReady', /no status reported yet/],
    [
      'says why it is not Ready',
      { node: nodeOf(PROVIDER_ID, down) },
      'NodeNotReady',
      /KubeletNotReady: GUISessionReady/,
    ],
    ['is Ready', { node: nodeOf(PROVIDER_ID, up) }, 'NodeReady', /the Node a is Ready/],
  ];
  for (const [name, scope, reason, words] of table) {
    test(name, () => {
      const end = judgeNode(scopeOf(scope));
      assert.equal(end.reason, reason);
      assert.match(end.message ?? '', words);
      assert.equal(end.kind, reason === 'NodeReady' ? 'passed' : 'waiting');
    });
  }

  test('a Ready Node makes its machine provisioned, permanently', async () => {
    const scope = scopeOf({ node: nodeOf(PROVIDER_ID, up) });
    await nodeReady.run(scope, {} as MachineDeps);
    assert.equal(scope.machine.status?.initialization?.provisioned, true);
    await nodeReady.run({ ...scope, node: undefined }, {} as MachineDeps);
    assert.equal(scope.machine.status?.initialization?.provisioned, true);
    const waits = scopeOf({ node: nodeOf(PROVIDER_ID, down) });
    await nodeReady.run(waits, {} as MachineDeps);
    assert.equal(waits.machine.status?.initialization, undefined, 'core reads an absent field, never false');
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNodeTaints } from './node-settings.ts';
import { newNode } from './own-node.ts';

test('--register-with-taints are parsed as by a kubelet', () => {
  assert.deepEqual(parseNodeTaints('minifleet.dev/builder=true:NoSchedule, busy:PreferNoSchedule'), [
    { key: 'minifleet.dev/builder', value: 'true', effect: 'NoSchedule' },
    { key: 'busy', effect: 'PreferNoSchedule' },
  ]);
  assert.deepEqual(parseNodeTaints(''), []);
});

for (const wrong of ['builder', 'builder:Never', '=true:NoSchedule', 'a b:NoSchedule'])
  test(`the taint "${wrong}" is rejected with its name`, () => {
    assert.throws(() => parseNodeTaints(wrong), {
      code: 'NODE_TAINTS_REFUSED',
      message: new RegExp(`"${wrong}" is not a taint`),
    });
  });

test('a new Node has the configured taints and the taint of every macOS Node', () => {
  const taints = parseNodeTaints('minifleet.dev/builder=true:NoSchedule');
  const settings = {
    ...{ name: 'mini-01', labels: {}, maxPods: 3, vmSlots: 2, kubeletPort: 10_250, version: '0.1.0' },
    declaredFeatures: [],
  };
  const keys = (node: ReturnType<typeof newNode>) => node.spec?.taints?.map(({ key }) => key);
  assert.deepEqual(keys(newNode({ ...settings, taints }, {})), ['tuist.dev/macos', 'minifleet.dev/builder']);
  assert.deepEqual(keys(newNode(settings, {})), ['tuist.dev/macos']);
});

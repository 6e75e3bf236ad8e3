import assert from 'node:assert/strict';
import { configMaps, type Node, nodes, pods } from '../../client/built-in.ts';
import { type Bench, uniqueName } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { widgets } from './widgets.ts';

export function strategicPatchContract(bench: Bench): void {
  async function preparedNode(): Promise<{ patch: (body: object, subresource?: string) => Promise<Node> }> {
    const name = uniqueName('node');
    await bench.client.create(nodes, { metadata: { name } });
    return {
      patch: (body, subresource) =>
        bench.client.patch(nodes, { name }, { type: 'strategic', body }, subresource ? { subresource } : {}),
    };
  }
  const types = (list: readonly { type: string }[] | undefined): string[] => (list ?? []).map(({ type }) => type);

  test('a strategic merge patch merges conditions and addresses of a Node by type', async () => {
    const { patch } = await preparedNode();
    const address = (type: string, value: string) => ({ type, address: value });
    const ready = { type: 'Ready', status: 'True', reason: 'Fine' };
    await patch({ status: { conditions: [ready], addresses: [address('InternalIP', '10.0.0.1')] } }, 'status');
    const conditions = [
      { type: 'DiskPressure', status: 'False' },
      { type: 'Ready', status: 'False' },
    ];
    const addresses = [address('Hostname', 'mac')];
    const { status } = await patch({ status: { conditions, addresses } }, 'status');
    assert.deepEqual(types(status?.conditions).sort(), ['DiskPressure', 'Ready']);
    const merged = status?.conditions?.find(({ type }) => type === 'Ready');
    assert.deepEqual({ status: merged?.status, reason: merged?.reason }, { status: 'False', reason: 'Fine' });
    assert.deepEqual(status?.addresses, [address('Hostname', 'mac'), address('InternalIP', '10.0.0.1')]);
  });

  test('a strategic merge patch keeps the order of existing list items', async () => {
    const { patch } = await preparedNode();
    const condition = (type: string, status: string) => ({ type, status });
    const all = [condition('A', 'True'), condition('B', 'True'), condition('C', 'True')];
    await patch({ status: { conditions: all } }, 'status');
    const { status } = await patch(
      { status: { conditions: [condition('C', 'False'), condition('D', 'True')] } },
      'status',
    );
    assert.deepEqual(types(status?.conditions), ['A', 'B', 'C', 'D']);
  });

  test('$patch: delete removes one list item, $patch: replace replaces the list', async () => {
    const { patch } = await preparedNode();
    const conditions = [
      { type: 'A', status: 'True' },
      { type: 'B', status: 'True' },
    ];
    await patch({ status: { conditions } }, 'status');
    const deleted = await patch({ status: { conditions: [{ type: 'A', $patch: 'delete' }] } }, 'status');
    assert.deepEqual(types(deleted.status?.conditions), ['B']);
    const replaced = await patch(
      { status: { conditions: [{ $patch: 'replace' }, { type: 'C', status: 'True' }] } },
      'status',
    );
    assert.deepEqual(types(replaced.status?.conditions), ['C']);
  });

  test('a strategic merge patch replaces taints, which have no merge key', async () => {
    const { patch } = await preparedNode();
    const taint = (key: string) => ({ key, effect: 'NoSchedule' });
    await patch({ spec: { taints: [taint('a'), taint('b')] } });
    const { spec } = await patch({ spec: { taints: [taint('c')] } });
    assert.deepEqual(spec?.taints, [taint('c')]);
  });

  test('a strategic merge patch merges containers by name', async () => {
    const namespace = await bench.namespace();
    await bench.createPod(namespace, 'a');
    const containers = [{ name: 'main', image: 'example.test/other:1' }];
    const patch = { type: 'strategic', body: { spec: { containers } } } as const;
    const pod = await bench.client.patch(pods, { namespace, name: 'a' }, patch);
    assert.equal(pod.spec?.containers.length, 1);
    assert.equal(pod.spec?.containers[0]?.image, 'example.test/other:1');
    assert.equal(pod.spec?.containers[0]?.imagePullPolicy, 'IfNotPresent');
  });

  test('a strategic merge patch adds finalizers, merges ownerReferences by uid and removes null keys', async () => {
    const namespace = await bench.namespace();
    const owner = await bench.createConfigMap(namespace, 'owner');
    const reference = (name: string, uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });
    const kept = reference('owner', owner.metadata.uid ?? '');
    await bench.createConfigMap(namespace, 'a', { finalizers: ['a.test/one'], ownerReferences: [kept] });
    const patch = (body: object) =>
      bench.client.patch(configMaps, { namespace, name: 'a' }, { type: 'strategic', body });
    const { uid = '' } = (await bench.createConfigMap(namespace, 'other')).metadata;
    const added = await patch({
      metadata: { finalizers: ['a.test/two'], ownerReferences: [reference('other', uid)] },
      data: { colour: null, shape: 'round' },
    });
    assert.deepEqual(added.metadata.finalizers?.toSorted(), ['a.test/one', 'a.test/two']);
    assert.deepEqual(added.metadata.ownerReferences?.map(({ name }) => name).sort(), ['other', 'owner']);
    assert.deepEqual(added.data, { shape: 'round' });
    const removed = await patch({
      metadata: {
        '$deleteFromPrimitiveList/finalizers': ['a.test/one', 'a.test/two'],
        ownerReferences: [{ $patch: 'delete', uid }],
      },
      data: { $patch: 'replace', size: 'big' },
    });
    assert.deepEqual(removed.metadata.finalizers ?? [], []);
    assert.deepEqual(removed.metadata.ownerReferences, [kept]);
    assert.deepEqual(removed.data, { size: 'big' });
  });

  test('custom resources do not support strategic merge patches', async () => {
    const namespace = await bench.namespace();
    await bench.createWidget(namespace, 'a');
    const attempt = bench.client.patch(widgets, { namespace, name: 'a' }, { type: 'strategic', body: {} });
    await refused(attempt, { code: 415, reason: 'UnsupportedMediaType' });
  });
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type ConfigMap, configMaps, namespaces, secrets } from '../../client/built-in.ts';
import type { KubeObject, OwnerReference } from '../../object.ts';
import type { Bench } from './bench.ts';
import { test } from './test.ts';

const ownedBy = (owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: owner.metadata.name,
  uid: owner.metadata.uid ?? '',
  ...more,
});

const patience = { deadline: seconds(20) };

export function garbageContract(bench: Bench): void {
  const find = (namespace: string, name: string): Promise<ConfigMap | undefined> =>
    bench.client.find(configMaps, { namespace, name });
  const gone = (namespace: string, name: string): Promise<boolean> =>
    eventually(async () => (await find(namespace, name)) === undefined, { ...patience, what: `${name} to be gone` });

  async function family(
    namespace: string,
    more: Partial<OwnerReference> = {},
    finalizers: string[] = [],
  ): Promise<void> {
    const owner = await bench.createConfigMap(namespace, 'owner');
    await bench.createConfigMap(namespace, 'child', {
      ownerReferences: [ownedBy(owner, more)],
      ...(finalizers.length > 0 ? { finalizers } : {}),
    });
  }
  const release = (namespace: string, name: string): Promise<ConfigMap> =>
    bench.client.patch(configMaps, { namespace, name }, { type: 'merge', body: { metadata: { finalizers: null } } });

  test('dependents of a deleted owner are garbage-collected recursively', async () => {
    const namespace = await bench.namespace();
    await family(namespace);
    const child = await bench.client.get(configMaps, { namespace, name: 'child' });
    const metadata = { name: 'grandchild', namespace, ownerReferences: [ownedBy(child)] };
    await bench.client.create(secrets, { metadata });
    await bench.client.delete(configMaps, { namespace, name: 'owner' });
    assert.equal(await find(namespace, 'owner'), undefined);
    await gone(namespace, 'child');
    await eventually(async () => !(await bench.client.find(secrets, { namespace, name: 'grandchild' })), patience);
  });

  test('an object whose owner never existed is garbage-collected', async () => {
    const namespace = await bench.namespace();
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: randomUUID() }];
    await bench.createConfigMap(namespace, 'child', { ownerReferences });
    await gone(namespace, 'child');
  });

  test('an object with another owner stays and loses the reference to the deleted one', async () => {
    const namespace = await bench.namespace();
    const one = await bench.createConfigMap(namespace, 'one');
    const other = await bench.createConfigMap(namespace, 'other');
    await bench.createConfigMap(namespace, 'child', { ownerReferences: [ownedBy(one), ownedBy(other)] });
    await bench.client.delete(configMaps, { namespace, name: 'one' });
    await eventually(async () => {
      const child = await bench.client.get(configMaps, { namespace, name: 'child' });
      assert.deepEqual(
        child.metadata.ownerReferences?.map(({ name }) => name),
        ['other'],
      );
      return true;
    }, patience);
  });

  test('foreground deletion waits for dependents with blockOwnerDeletion', async () => {
    const namespace = await bench.namespace();
    await family(namespace, { blockOwnerDeletion: true }, ['a.test/hold']);
    await bench.client.delete(configMaps, { namespace, name: 'owner' }, { propagationPolicy: 'Foreground' });
    await eventually(async () => (await find(namespace, 'child'))?.metadata.deletionTimestamp, patience);
    const owner = await find(namespace, 'owner');
    assert.deepEqual(owner?.metadata.finalizers, ['foregroundDeletion']);
    assert.ok(owner.metadata.deletionTimestamp);
    await release(namespace, 'child');
    await gone(namespace, 'child');
    await gone(namespace, 'owner');
  });

  test('foreground deletion does not wait for dependents without blockOwnerDeletion', async () => {
    const namespace = await bench.namespace();
    await family(namespace, {}, ['a.test/hold']);
    await bench.client.delete(configMaps, { namespace, name: 'owner' }, { propagationPolicy: 'Foreground' });
    await gone(namespace, 'owner');
    await eventually(async () => (await find(namespace, 'child'))?.metadata.deletionTimestamp, patience);
    await release(namespace, 'child');
  });

  test('orphaned dependents lose their owner reference and stay', async () => {
    const namespace = await bench.namespace();
    await family(namespace);
    await bench.client.delete(configMaps, { namespace, name: 'owner' }, { propagationPolicy: 'Orphan' });
    await gone(namespace, 'owner');
    const child = await find(namespace, 'child');
    assert.ok(child);
    assert.equal(child.metadata.ownerReferences, undefined);
    assert.equal(child.metadata.deletionTimestamp, undefined);
  });

  test('a deleted Namespace is emptied and removed when no finalizer is left', async () => {
    const name = await bench.namespace();
    await bench.createConfigMap(name, 'plain');
    await bench.createConfigMap(name, 'held', { finalizers: ['a.test/hold'] });
    await bench.client.delete(namespaces, { name });
    await gone(name, 'plain');
    await eventually(async () => (await find(name, 'held'))?.metadata.deletionTimestamp, patience);
    assert.ok(await bench.client.find(namespaces, { name }));
    await release(name, 'held');
    await eventually(async () => (await bench.client.find(namespaces, { name })) === undefined, patience);
  });
}

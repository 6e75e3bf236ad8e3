import assert from 'node:assert/strict';
import { configMaps, leases, nodes, pods } from '../../client/built-in.ts';
import { type Bench, uniqueName } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { watchFromNow } from './watching.ts';
import { gadgets, widgets } from './widgets.ts';

const stale = (what: string) => ({
  code: 409,
  reason: 'Conflict',
  message: `Operation cannot be fulfilled on ${what}: the object has been modified; please apply your changes to the latest version and try again`,
});

export function updateContract(bench: Bench): void {
  test('a PUT replaces the object and increases its resourceVersion', async () => {
    const namespace = await bench.namespace();
    const before = await bench.createConfigMap(namespace, 'a', { labels: { old: 'yes' } });
    const { labels: _, ...metadata } = before.metadata;
    const after = await bench.client.update(configMaps, { ...before, metadata, data: { shape: 'round' } });
    assert.deepEqual(after.data, { shape: 'round' });
    assert.equal(after.metadata.labels, undefined);
    assert.ok(Number(after.metadata.resourceVersion) > Number(before.metadata.resourceVersion));
    assert.equal(after.metadata.uid, before.metadata.uid);
  });

  test('a PUT with an older resourceVersion is a Conflict and changes nothing', async () => {
    const namespace = await bench.namespace();
    const before = await bench.createWidget(namespace, 'a');
    const current = await bench.client.update(widgets, { ...before, spec: { size: 'medium' } });
    const attempt = bench.client.update(widgets, { ...before, spec: { size: 'small', count: 5 } });
    await refused(attempt, stale('widgets.contract.minifleet.dev "a"'));
    assert.deepEqual(await bench.client.get(widgets, { namespace, name: 'a' }), current);
  });

  test('a PUT without a resourceVersion is rejected for custom resources and Leases, not for ConfigMaps', async () => {
    const namespace = await bench.namespace();
    const widget = await bench.createWidget(namespace, 'a');
    const attempt = bench.client.update(widgets, { ...widget, metadata: { name: 'a', namespace } });
    const expected = { code: 422, causes: ['metadata.resourceVersion: FieldValueInvalid'] };
    await refused(attempt, {
      ...expected,
      message:
        'widgets.contract.minifleet.dev "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    });
    const lease = await bench.client.create(leases, { metadata: { name: 'a', namespace }, spec: {} });
    await refused(bench.client.update(leases, { ...lease, metadata: { name: 'a', namespace } }), expected);
    const map = await bench.createConfigMap(namespace, 'a');
    const updated = await bench.client.update(configMaps, {
      ...map,
      metadata: { name: 'a', namespace },
      data: { b: '1' },
    });
    assert.deepEqual(updated.data, { b: '1' });
  });

  test('a PUT with another uid is a Conflict', async () => {
    const namespace = await bench.namespace();
    const map = await bench.createConfigMap(namespace, 'a');
    const attempt = bench.client.update(configMaps, { ...map, metadata: { ...map.metadata, uid: 'another' } });
    await refused(attempt, {
      code: 409,
      reason: 'Conflict',
      message: /Precondition failed: UID in precondition: another/,
    });
  });

  test('a PUT cannot change creationTimestamp and generation', async () => {
    const namespace = await bench.namespace();
    const widget = await bench.createWidget(namespace, 'a');
    const metadata = { ...widget.metadata, creationTimestamp: '2020-01-01T00:00:00Z', generation: 9 };
    assert.deepEqual(await bench.client.update(widgets, { ...widget, metadata }), widget);
  });

  test('a PUT cannot set a deletionTimestamp', async () => {
    const namespace = await bench.namespace();
    const map = await bench.createConfigMap(namespace, 'a');
    const metadata = { ...map.metadata, deletionTimestamp: '2020-01-01T00:00:00Z' };
    await refused(bench.client.update(configMaps, { ...map, metadata }), {
      code: 422,
      causes: ['metadata.deletionTimestamp: FieldValueInvalid'],
      message: /field is immutable/,
    });
  });

  test('a write without a change keeps the resourceVersion and emits no watch event', async () => {
    const namespace = await bench.namespace();
    const widget = await bench.createWidget(namespace, 'a');
    const watching = await watchFromNow(bench.client, widgets, { namespace });
    const key = { namespace, name: 'a' };
    assert.deepEqual(await bench.client.update(widgets, widget), widget);
    assert.deepEqual(
      await bench.client.patch(widgets, key, { type: 'merge', body: { spec: { size: 'small' } } }),
      widget,
    );
    assert.deepEqual(await bench.client.patch(widgets, key, { type: 'json', body: [] }), widget);
    await bench.createWidget(namespace, 'b');
    await watching.atLeast(1);
    assert.deepEqual(watching.seen(), ['ADDED b']);
    watching.close();
  });

  test('the generation increases only with the spec', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    assert.equal((await bench.createWidget(namespace, 'a')).metadata.generation, 1);
    const patch = async (body: object, subresource?: string): Promise<number | undefined> => {
      const options = subresource ? { subresource } : {};
      return (await bench.client.patch(widgets, key, { type: 'merge', body }, options)).metadata.generation;
    };
    assert.equal(await patch({ metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } }), 1);
    assert.equal(await patch({ status: { phase: 'Ready' } }, 'status'), 1);
    assert.equal(await patch({ spec: { size: 'medium' } }), 2);
    assert.equal(await patch({ spec: { size: 'medium' } }), 2);
  });

  test('the generation increases with the status if there is no status subresource', async () => {
    const name = uniqueName('gadget');
    await bench.client.create(gadgets, { metadata: { name }, status: { phase: 'New' } });
    const patch = async (body: object): Promise<number | undefined> =>
      (await bench.client.patch(gadgets, { name }, { type: 'merge', body })).metadata.generation;
    assert.equal(await patch({ metadata: { labels: { a: 'b' } } }), 1);
    assert.equal(await patch({ status: { phase: 'Ready' } }), 2);
    assert.equal(await patch({ spec: { any: 'thing' } }), 3);
  });

  test('Pods have a generation, ConfigMaps and Nodes have none', async () => {
    const namespace = await bench.namespace();
    assert.equal((await bench.createPod(namespace, 'a')).metadata.generation, 1);
    assert.equal((await bench.createConfigMap(namespace, 'a')).metadata.generation, undefined);
    const node = await bench.client.create(nodes, { metadata: { name: uniqueName('node') } });
    assert.equal(node.metadata.generation, undefined);
  });

  test('only the image of a Pod spec can be changed', async () => {
    const namespace = await bench.namespace();
    await bench.createPod(namespace, 'a', { nodeName: 'one' });
    const patch = (spec: object) =>
      bench.client.patch(pods, { namespace, name: 'a' }, { type: 'strategic', body: { spec } });
    const changed = await patch({ containers: [{ name: 'main', image: 'example.test/image:2' }] });
    assert.equal(changed.metadata.generation, 2);
    await refused(patch({ nodeName: 'another' }), {
      code: 422,
      causes: ['spec: FieldValueForbidden'],
      message: /pod updates may not change fields other than/,
    });
  });

  test('a PUT to an absent name is NotFound, but creates a Lease', async () => {
    const namespace = await bench.namespace();
    const metadata = { name: 'absent', namespace };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as const;
    await refused(bench.client.update(configMaps, map), {
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "absent" not found',
    });
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      spec: { holderIdentity: 'me' },
    } as const;
    assert.equal((await bench.client.update(leases, lease)).spec?.holderIdentity, 'me');
  });

  test('a dry run of an update returns the object and stores nothing', async () => {
    const namespace = await bench.namespace();
    const widget = await bench.createWidget(namespace, 'a');
    const shown = await bench.client.update(widgets, { ...widget, spec: { size: 'medium' } }, { dryRun: true });
    assert.equal(shown.spec?.size, 'medium');
    assert.deepEqual(await bench.client.get(widgets, { namespace, name: 'a' }), widget);
  });
}

import assert from 'node:assert/strict';
import { nodes, pods } from '../../client/built-in.ts';
import { type Bench, uniqueName } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { gadgets, type Widget, widgets } from './widgets.ts';

export function statusContract(bench: Bench): void {
  test('a new custom resource has no status, whatever was sent', async () => {
    const created = await bench.createWidget(await bench.namespace(), 'a', { status: { phase: 'Ready' } });
    assert.equal(created.status, undefined);
  });

  test('a PUT to the status of a custom resource changes only the status', async () => {
    const namespace = await bench.namespace();
    const widget = await bench.createWidget(namespace, 'a');
    const metadata = { ...widget.metadata, labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['a.test/b'] };
    const sent: Widget = { ...widget, metadata, spec: { size: 'medium' }, status: { phase: 'Ready' } };
    const updated = await bench.client.update(widgets, sent, { subresource: 'status' });
    assert.deepEqual(updated.status, { phase: 'Ready' });
    assert.deepEqual(updated.spec, widget.spec);
    assert.equal(updated.metadata.labels, undefined);
    assert.equal(updated.metadata.annotations, undefined);
    assert.equal(updated.metadata.finalizers, undefined);
    assert.equal(updated.metadata.generation, 1);
  });

  test('a PUT to the object does not change its status', async () => {
    const namespace = await bench.namespace();
    const widget = await bench.createWidget(namespace, 'a');
    const ready = await bench.client.update(
      widgets,
      { ...widget, status: { phase: 'Ready' } },
      { subresource: 'status' },
    );
    const updated = await bench.client.update(widgets, {
      ...ready,
      spec: { size: 'medium' },
      status: { phase: 'Lost' },
    });
    assert.deepEqual(updated.status, { phase: 'Ready' });
    assert.equal(updated.spec?.size, 'medium');
  });

  test('a stale PUT to the status is a Conflict', async () => {
    const namespace = await bench.namespace();
    const widget = await bench.createWidget(namespace, 'a');
    await bench.client.update(widgets, { ...widget, spec: { size: 'medium' } });
    const attempt = bench.client.update(widgets, { ...widget, status: { phase: 'Ready' } }, { subresource: 'status' });
    await refused(attempt, { code: 409, reason: 'Conflict' });
  });

  test('a merge patch of the status does not change the spec', async () => {
    const namespace = await bench.namespace();
    await bench.createWidget(namespace, 'a');
    const body = { spec: { size: 'medium' }, status: { phase: 'Ready' } };
    const key = { namespace, name: 'a' };
    const patched = await bench.client.patch(widgets, key, { type: 'merge', body }, { subresource: 'status' });
    assert.equal(patched.spec?.size, 'small');
    assert.deepEqual(patched.status, { phase: 'Ready' });
  });

  test('a status that violates the schema is Invalid', async () => {
    const namespace = await bench.namespace();
    await bench.createWidget(namespace, 'a');
    const body = { status: { phase: 3, conditions: [{ type: 'Ready' }] } };
    const patch = { type: 'merge', body } as const;
    await refused(bench.client.patch(widgets, { namespace, name: 'a' }, patch, { subresource: 'status' }), {
      code: 422,
      causes: ['status.conditions[0].status: FieldValueRequired', 'status.phase: FieldValueTypeInvalid'],
    });
  });

  test('the status of a Pod and of a Node can be patched together with labels', async () => {
    const namespace = await bench.namespace();
    await bench.createPod(namespace, 'a');
    const status = { subresource: 'status' };
    const body = { metadata: { labels: { a: 'b' } }, status: { phase: 'Running' } };
    const pod = await bench.client.patch(pods, { namespace, name: 'a' }, { type: 'merge', body }, status);
    assert.equal(pod.status?.phase, 'Running');
    assert.equal(pod.metadata.labels?.['a'], 'b');
    assert.equal(pod.metadata.generation, 1);
    const name = uniqueName('node');
    await bench.client.create(nodes, { metadata: { name } });
    const patch = { metadata: { labels: { a: 'b' } }, spec: { unschedulable: true }, status: { phase: 'Running' } };
    const node = await bench.client.patch(nodes, { name }, { type: 'merge', body: patch }, status);
    assert.equal(node.metadata.labels?.['a'], 'b');
    assert.equal(node.spec?.unschedulable, undefined);
    assert.equal(node.status?.phase, 'Running');
  });

  test('a uid guards a status PUT and a Pod status patch, but no status patch of a custom resource', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    const widget = await bench.createWidget(namespace, 'a');
    const options = { subresource: 'status' };
    const metadata = { ...widget.metadata, uid: 'another' };
    const put = bench.client.update(widgets, { ...widget, metadata, status: { phase: 'Up' } }, options);
    await refused(put, { code: 409, reason: 'Conflict' });
    const body = { metadata: { uid: 'another' }, status: { phase: 'Running' } };
    const patched = await bench.client.patch(widgets, key, { type: 'merge', body }, options);
    assert.deepEqual([patched.status, patched.metadata.uid], [{ phase: 'Running' }, widget.metadata.uid]);
    await bench.createPod(namespace, 'a');
    await refused(bench.client.patch(pods, key, { type: 'merge', body }, options), {
      code: 422,
      causes: ['metadata.uid: FieldValueInvalid'],
    });
  });

  test('a JSON patch that tests the uid guards the status of a custom resource', async () => {
    const namespace = await bench.namespace();
    const { metadata } = await bench.createWidget(namespace, 'a');
    const patch = (uid: string) => {
      const guard = { op: 'test', path: '/metadata/uid', value: uid } as const;
      const body = [guard, { op: 'add', path: '/status', value: { phase: 'Up' } } as const];
      return bench.client.patch(widgets, { namespace, name: 'a' }, { type: 'json', body }, { subresource: 'status' });
    };
    await refused(patch('another'), { code: 422, reason: 'Invalid' });
    assert.deepEqual((await patch(metadata.uid ?? '')).status, { phase: 'Up' });
  });

  test('a resource without a status subresource writes its status with the object', async () => {
    const name = uniqueName('gadget');
    const created = await bench.client.create(gadgets, { metadata: { name }, status: { phase: 'New' } });
    assert.deepEqual(created.status, { phase: 'New' });
    const patch = { type: 'merge', body: { status: { phase: 'Old' } } } as const;
    await refused(bench.client.patch(gadgets, { name }, patch, { subresource: 'status' }), { code: 404 });
    assert.deepEqual((await bench.client.patch(gadgets, { name }, patch)).status, { phase: 'Old' });
  });
}

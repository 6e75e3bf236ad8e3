import assert from 'node:assert/strict';
import { eventually } from '@minifleet/clock/testing';
import { configMaps, namespaces } from '../../client/built-in.ts';
import type { Bench } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { watchFromNow } from './watching.ts';
import { widgets } from './widgets.ts';

export function deleteContract(bench: Bench): void {
  test('a deleted object without finalizers is removed immediately', async () => {
    const namespace = await bench.namespace();
    const created = await bench.createWidget(namespace, 'a');
    const watching = await watchFromNow(bench.client, widgets, { namespace });
    await bench.client.delete(widgets, { namespace, name: 'a' });
    assert.equal(await bench.client.find(widgets, { namespace, name: 'a' }), undefined);
    await watching.atLeast(1);
    const [event] = watching.events;
    assert.deepEqual(watching.seen(), ['DELETED a']);
    assert.deepEqual(event?.object.spec, created.spec);
    assert.ok(Number(event?.object.metadata.resourceVersion) > Number(created.metadata.resourceVersion));
    watching.close();
  });

  test('a deletion of an absent object is NotFound', async () => {
    const namespace = await bench.namespace();
    await refused(bench.client.delete(widgets, { namespace, name: 'a' }), {
      code: 404,
      reason: 'NotFound',
      message: 'widgets.contract.minifleet.dev "a" not found',
    });
  });

  test('a deleted object with a finalizer has a deletionTimestamp until the finalizer is removed', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    const created = await bench.createWidget(namespace, 'a', { metadata: { name: 'a', finalizers: ['a.test/hold'] } });
    const watching = await watchFromNow(bench.client, widgets, { namespace });
    await bench.client.delete(widgets, key);
    const marked = await bench.client.get(widgets, key);
    assert.match(marked.metadata.deletionTimestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(marked.metadata.deletionGracePeriodSeconds, 0);
    assert.equal(marked.metadata.generation, 2);
    assert.equal(marked.metadata.uid, created.metadata.uid);
    await bench.client.patch(widgets, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    assert.equal(await bench.client.find(widgets, key), undefined);
    await watching.atLeast(2);
    assert.deepEqual(watching.seen(), ['MODIFIED a', 'DELETED a']);
    const versions = watching.events.map(({ object }) => Number(object.metadata.resourceVersion));
    assert.ok((versions[1] ?? 0) > (versions[0] ?? 0));
    watching.close();
  });

  test('the DELETED event of an object still has its last finalizer', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    await bench.createConfigMap(namespace, 'a', { finalizers: ['a.test/hold'] });
    const watching = await watchFromNow(bench.client, configMaps, { namespace });
    await bench.client.delete(configMaps, key);
    const body = { metadata: { finalizers: null }, data: { colour: 'blue' } };
    const answer = await bench.client.patch(configMaps, key, { type: 'merge', body });
    assert.equal(answer.metadata.finalizers, undefined);
    assert.deepEqual(answer.data, { colour: 'blue' });
    await eventually(() => watching.events.find(({ type }) => type === 'DELETED'));
    const deleted = watching.events.find(({ type }) => type === 'DELETED');
    assert.deepEqual(deleted?.object.metadata.finalizers, ['a.test/hold']);
    assert.deepEqual(deleted?.object.data, { colour: 'red' });
    watching.close();
  });

  test('a second deletion of an object changes nothing', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    await bench.createWidget(namespace, 'a', { metadata: { name: 'a', finalizers: ['a.test/hold'] } });
    await bench.client.delete(widgets, key);
    const marked = await bench.client.get(widgets, key);
    await bench.client.delete(widgets, key);
    assert.deepEqual(await bench.client.get(widgets, key), marked);
  });

  test('a deleted object can be changed, but gets no new finalizers', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    await bench.createWidget(namespace, 'a', { metadata: { name: 'a', finalizers: ['a.test/one', 'a.test/two'] } });
    await bench.client.delete(widgets, key);
    const merge = (body: object) => bench.client.patch(widgets, key, { type: 'merge', body });
    assert.equal((await merge({ spec: { size: 'medium' } })).metadata.generation, 3);
    await refused(merge({ metadata: { finalizers: ['a.test/one', 'a.test/two', 'a.test/new'] } }), {
      code: 422,
      reason: 'Invalid',
      causes: ['metadata.finalizers: FieldValueForbidden'],
      message:
        /no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"a\.test\/new"\}/,
    });
    const left = await merge({ metadata: { finalizers: ['a.test/two'] } });
    assert.deepEqual(left.metadata.finalizers, ['a.test/two']);
  });

  test('a deletion with another uid or resourceVersion is a Conflict', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    const { metadata } = await bench.createWidget(namespace, 'a');
    await refused(bench.client.delete(widgets, key, { preconditions: { uid: 'another' } }), {
      code: 409,
      reason: 'Conflict',
      message: /the UID in the precondition \(another\) does not match the UID in record/,
    });
    await refused(bench.client.delete(widgets, key, { preconditions: { resourceVersion: '1' } }), {
      code: 409,
      reason: 'Conflict',
      message: /the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record/,
    });
    await bench.client.delete(widgets, key, { preconditions: { uid: metadata.uid ?? '' } });
    assert.equal(await bench.client.find(widgets, key), undefined);
  });

  test('an object recreated under the same name is another object', async () => {
    const namespace = await bench.namespace();
    const first = await bench.createWidget(namespace, 'a');
    await bench.client.delete(widgets, { namespace, name: 'a' });
    const second = await bench.createWidget(namespace, 'a');
    assert.notEqual(second.metadata.uid, first.metadata.uid);
    await refused(bench.client.update(widgets, first), { code: 409, reason: 'Conflict' });
  });

  test('an unknown propagation policy is Invalid', async () => {
    const namespace = await bench.namespace();
    await bench.createConfigMap(namespace, 'a');
    const options = { propagationPolicy: 'Sideways' as 'Orphan' };
    await refused(bench.client.delete(configMaps, { namespace, name: 'a' }, options), {
      code: 422,
      causes: ['propagationPolicy: FieldValueNotSupported'],
    });
  });

  test('a terminating Namespace rejects new objects', async () => {
    const name = await bench.namespace();
    await bench.createConfigMap(name, 'held', { finalizers: ['a.test/hold'] });
    await bench.client.delete(namespaces, { name });
    const terminating = await bench.client.get(namespaces, { name });
    assert.equal(terminating.status?.phase, 'Terminating');
    await refused(bench.createConfigMap(name, 'late'), {
      code: 403,
      reason: 'Forbidden',
      causes: ['metadata.namespace: NamespaceTerminating'],
      message: `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
    });
    const body = { metadata: { finalizers: null } };
    await bench.client.patch(configMaps, { namespace: name, name: 'held' }, { type: 'merge', body });
  });
}

import assert from 'node:assert/strict';
import { type Pod, pods } from '../../client/built-in.ts';
import type { Bench } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { watchFromNow } from './watching.ts';

/** Seconds until the deletionTimestamp of a Pod. */
const remaining = ({ metadata }: Pod): number | undefined => metadata.deletionGracePeriodSeconds;

export function podGraceContract(bench: Bench): void {
  test('a deleted Pod stays on its Node for its grace period', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    await bench.createPod(namespace, 'a', { nodeName: 'mac' });
    await bench.client.delete(pods, key);
    const marked = await bench.client.get(pods, key);
    assert.equal(remaining(marked), 30);
    assert.ok(
      Date.parse(marked.metadata.deletionTimestamp ?? '') > Date.parse(marked.metadata.creationTimestamp ?? ''),
    );
    assert.equal(marked.metadata.generation, 2);
  });

  test('a deletion with grace period 0 removes a Pod immediately', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    const { metadata } = await bench.createPod(namespace, 'a', { nodeName: 'mac' });
    await bench.client.delete(pods, key);
    await refused(bench.client.delete(pods, key, { gracePeriodSeconds: 0, preconditions: { uid: 'another' } }), {
      code: 409,
      reason: 'Conflict',
    });
    await bench.client.delete(pods, key, { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid ?? '' } });
    assert.equal(await bench.client.find(pods, key), undefined);
  });

  test('a later deletion can shorten the grace period of a Pod, but not extend it', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    await bench.createPod(namespace, 'a', { nodeName: 'mac' });
    await bench.client.delete(pods, key, { gracePeriodSeconds: 20 });
    const first = await bench.client.get(pods, key);
    assert.equal(remaining(first), 20);
    await bench.client.delete(pods, key, { gracePeriodSeconds: 60 });
    assert.deepEqual(await bench.client.get(pods, key), first);
    await bench.client.delete(pods, key);
    assert.deepEqual(await bench.client.get(pods, key), first);
    await bench.client.delete(pods, key, { gracePeriodSeconds: 5 });
    const shorter = await bench.client.get(pods, key);
    assert.equal(remaining(shorter), 5);
    const time = (pod: Pod): number => Date.parse(pod.metadata.deletionTimestamp ?? '');
    assert.equal(time(first) - time(shorter), 15_000);
    assert.equal(shorter.metadata.generation, 2);
  });

  test('a deleted Pod without a Node is removed immediately, after an event with its deletionTimestamp', async () => {
    const namespace = await bench.namespace();
    await bench.createPod(namespace, 'a');
    const watching = await watchFromNow(bench.client, pods, { namespace });
    await bench.client.delete(pods, { namespace, name: 'a' });
    assert.equal(await bench.client.find(pods, { namespace, name: 'a' }), undefined);
    await watching.atLeast(2);
    assert.deepEqual(watching.seen(), ['MODIFIED a', 'DELETED a']);
    assert.ok(watching.events.every(({ object }) => object.metadata.deletionTimestamp !== undefined));
    watching.close();
  });

  test('a deleted Pod in a terminal phase is removed immediately', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    await bench.createPod(namespace, 'a', { nodeName: 'mac' });
    const patch = { type: 'merge', body: { status: { phase: 'Succeeded' } } } as const;
    await bench.client.patch(pods, key, patch, { subresource: 'status' });
    await bench.client.delete(pods, key);
    assert.equal(await bench.client.find(pods, key), undefined);
  });

  test('a finalizer keeps a Pod after its grace period', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    await bench.createPod(namespace, 'a', { nodeName: 'mac', finalizers: ['a.test/hold'] });
    await bench.client.delete(pods, key, { gracePeriodSeconds: 0 });
    assert.equal(remaining(await bench.client.get(pods, key)), 0);
    await bench.client.patch(pods, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    assert.equal(await bench.client.find(pods, key), undefined);
  });

  test('a Pod whose finalizer is removed within its grace period stays until the agent deletes it', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    await bench.createPod(namespace, 'a', { nodeName: 'mac', finalizers: ['a.test/hold'] });
    await bench.client.delete(pods, key);
    await bench.client.patch(pods, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    assert.equal(remaining(await bench.client.get(pods, key)), 30);
    await bench.client.delete(pods, key, { gracePeriodSeconds: 0 });
    assert.equal(await bench.client.find(pods, key), undefined);
  });
}

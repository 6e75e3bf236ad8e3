import assert from 'node:assert/strict';
import { seconds } from '@minifleet/clock';
import { isGone } from '../../client/api-error.ts';
import { pods } from '../../client/built-in.ts';
import type { Bench } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { startWatching, watchFromNow } from './watching.ts';
import { widgets } from './widgets.ts';

export function watchContract(bench: Bench): void {
  const merge = (namespace: string, name: string, body: object) =>
    bench.client.patch(widgets, { namespace, name }, { type: 'merge', body });

  test('a watch reports every change in order, with increasing versions', async () => {
    const namespace = await bench.namespace();
    const watching = await watchFromNow(bench.client, widgets, { namespace });
    await bench.createWidget(namespace, 'a');
    await bench.createWidget(namespace, 'b');
    const changed = await merge(namespace, 'a', { spec: { size: 'medium' } });
    await bench.client.delete(widgets, { namespace, name: 'b' });
    await watching.atLeast(4);
    assert.deepEqual(watching.seen(), ['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b']);
    assert.deepEqual(watching.events[2]?.object, changed);
    const versions = watching.events.map(({ object }) => Number(object.metadata.resourceVersion));
    assert.deepEqual(
      versions,
      [...versions].sort((one, other) => one - other),
    );
    watching.close();
  });

  test('a metadata-only watch reports the same changes with metadata only', async () => {
    const namespace = await bench.namespace();
    const watching = await watchFromNow(bench.client, widgets, { namespace, metadataOnly: true });
    const { apiVersion, kind, metadata } = await bench.createWidget(namespace, 'a');
    await bench.client.delete(widgets, { namespace, name: 'a' });
    await watching.atLeast(2);
    assert.deepEqual(watching.seen(), ['ADDED a', 'DELETED a']);
    assert.deepEqual(watching.events[0]?.object, { apiVersion, kind, metadata });
    watching.close();
  });

  test('a watch of one namespace reports no object of another', async () => {
    const [one, other] = [await bench.namespace(), await bench.namespace()];
    const watching = await watchFromNow(bench.client, widgets, { namespace: one });
    await bench.createWidget(other, 'hidden');
    await bench.createWidget(one, 'shown');
    await watching.atLeast(1);
    assert.deepEqual(watching.seen(), ['ADDED shown']);
    watching.close();
  });

  test('a watch can be resumed from the version of any reported object', async () => {
    const namespace = await bench.namespace();
    const first = await bench.createWidget(namespace, 'a');
    await bench.createWidget(namespace, 'b');
    await bench.client.delete(widgets, { namespace, name: 'a' });
    const resourceVersion = first.metadata.resourceVersion ?? '';
    const watching = await startWatching(bench.client, widgets, { namespace, resourceVersion });
    await watching.atLeast(2);
    assert.deepEqual(watching.seen(), ['ADDED b', 'DELETED a']);
    const deleted = watching.events[1]?.object.metadata.resourceVersion ?? '';
    const later = await startWatching(bench.client, widgets, { namespace, resourceVersion: deleted });
    await bench.createWidget(namespace, 'c');
    await later.atLeast(1);
    assert.deepEqual(later.seen(), ['ADDED c']);
    watching.close();
    later.close();
  });

  test('a watch without a resourceVersion, or from 0, starts with the existing objects', async () => {
    const namespace = await bench.namespace();
    await bench.createWidget(namespace, 'a');
    await bench.createWidget(namespace, 'b');
    const watching = await startWatching(bench.client, widgets, { namespace, resourceVersion: '' });
    await watching.atLeast(2);
    assert.deepEqual(watching.seen().sort(), ['ADDED a', 'ADDED b']);
    const zero = await startWatching(bench.client, widgets, { namespace, resourceVersion: '0' });
    await zero.atLeast(2);
    await merge(namespace, 'a', { spec: { size: 'medium' } });
    await Promise.all([watching.atLeast(3), zero.atLeast(3)]);
    assert.equal(watching.seen()[2], 'MODIFIED a');
    assert.equal(zero.seen()[2], 'MODIFIED a');
    watching.close();
    zero.close();
  });

  test('a watch from a resourceVersion that is too old is Expired', async () => {
    const namespace = await bench.namespace();
    const watching = await startWatching(bench.client, widgets, { namespace, resourceVersion: '1' });
    const error = await watching.ended;
    assert.ok(isGone(error), String(error));
    assert.match(String(error), /too old resource version: 1 \(\d+\)/);
    assert.match(String(error), /410 Expired/);
  });

  test('a watch with a label selector reports changed labels as ADDED and DELETED', async () => {
    const namespace = await bench.namespace();
    const watching = await watchFromNow(bench.client, widgets, { namespace, labelSelector: 'on=yes' });
    await bench.createWidget(namespace, 'a');
    await merge(namespace, 'a', { metadata: { labels: { on: 'yes' } } });
    await merge(namespace, 'a', { spec: { size: 'medium' } });
    const off = await merge(namespace, 'a', { metadata: { labels: { on: 'no' } }, spec: { size: 'small' } });
    await merge(namespace, 'a', { spec: { count: 5 } });
    await merge(namespace, 'a', { metadata: { labels: { on: 'yes' } } });
    await bench.client.delete(widgets, { namespace, name: 'a' });
    await watching.atLeast(5);
    assert.deepEqual(watching.seen(), ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a']);
    const vanished = watching.events[2]?.object;
    assert.equal(vanished?.metadata.resourceVersion, off.metadata.resourceVersion);
    assert.deepEqual(vanished?.metadata.labels, { on: 'yes' });
    assert.equal(vanished?.spec?.size, 'medium');
    watching.close();
  });

  test('a watch of the Pods of one Node reports no Pod of another Node', async () => {
    const namespace = await bench.namespace();
    const watching = await watchFromNow(bench.client, pods, { namespace, fieldSelector: 'spec.nodeName=mac' });
    await bench.createPod(namespace, 'elsewhere', { nodeName: 'other' });
    await bench.createPod(namespace, 'here', { nodeName: 'mac' });
    await watching.atLeast(1);
    assert.deepEqual(watching.seen(), ['ADDED here']);
    watching.close();
  });

  test('a watch that times out ends without an error, after a bookmark', async () => {
    const namespace = await bench.namespace();
    const watching = await watchFromNow(bench.client, widgets, { namespace, timeout: seconds(4) });
    const created = await bench.createWidget(namespace, 'a');
    assert.equal(await watching.ended, undefined);
    assert.deepEqual(watching.seen(), ['ADDED a']);
    const last = watching.bookmarks.at(-1) ?? '';
    assert.ok(Number(last) >= Number(created.metadata.resourceVersion), `the last bookmark was '${last}'`);
    const again = await startWatching(bench.client, widgets, { namespace, resourceVersion: last });
    await bench.createWidget(namespace, 'b');
    await again.atLeast(1);
    assert.deepEqual(again.seen(), ['ADDED b']);
    again.close();
  });

  test('a watch that is closed or aborted ends without an error', async () => {
    const namespace = await bench.namespace();
    const closed = await watchFromNow(bench.client, widgets, { namespace });
    closed.close();
    assert.equal(await closed.ended, undefined);
    const controller = new AbortController();
    const aborted = await watchFromNow(bench.client, widgets, { namespace, signal: controller.signal });
    controller.abort();
    assert.equal(await aborted.ended, undefined);
  });

  test('a watch with an invalid selector is rejected', async () => {
    const namespace = await bench.namespace();
    const options = { namespace, resourceVersion: '0', timeout: seconds(5) };
    await refused(bench.client.watch(widgets, { ...options, fieldSelector: 'spec.unknown=1' }), { code: 400 });
    await refused(bench.client.watch(widgets, { ...options, labelSelector: 'a in (' }), { code: 400 });
  });

  test('two watchers see the same events in the same order', async () => {
    const namespace = await bench.namespace();
    const one = await watchFromNow(bench.client, widgets, { namespace });
    const other = await watchFromNow(bench.client, widgets, { namespace });
    await Promise.all(['a', 'b', 'c', 'd'].map(name => bench.createWidget(namespace, name)));
    await Promise.all([one.atLeast(4), other.atLeast(4)]);
    assert.deepEqual(one.events, other.events);
    one.close();
    other.close();
  });
}

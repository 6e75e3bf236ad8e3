import assert from 'node:assert/strict';
import { configMaps } from '../../client/built-in.ts';
import type { Bench } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { widgets } from './widgets.ts';

export function listContract(bench: Bench): void {
  const names = (items: readonly { metadata: { name: string } }[]): string[] => items.map(item => item.metadata.name);

  async function prepared(...all: string[]): Promise<string> {
    const namespace = await bench.namespace();
    for (const name of all) await bench.createWidget(namespace, name);
    return namespace;
  }

  test('a list has the objects of a namespace, sorted by name', async () => {
    const namespace = await prepared('c', 'a', 'b-2', 'b.1', 'b');
    const list = await bench.client.list(widgets, { namespace });
    assert.deepEqual(names(list.items), ['a', 'b', 'b-2', 'b.1', 'c']);
    assert.match(list.metadata.resourceVersion, /^\d+$/);
    assert.equal(list.metadata.continue || undefined, undefined);
    assert.deepEqual(list.items[0], await bench.client.get(widgets, { namespace, name: 'a' }));
  });

  test('a list of a missing namespace is empty', async () => {
    assert.deepEqual((await bench.client.list(configMaps, { namespace: 'nowhere' })).items, []);
  });

  test('a list across namespaces has the objects of all namespaces', async () => {
    const [one, other] = [await prepared('a'), await prepared('a')];
    const { items } = await bench.client.list(widgets);
    const found = items.map(item => item.metadata.namespace ?? '');
    assert.ok(found.includes(one) && found.includes(other));
    assert.deepEqual(found, [...found].sort());
  });

  test('the resourceVersion of a list is at least that of its newest object', async () => {
    const namespace = await prepared('a', 'b');
    const list = await bench.client.list(widgets, { namespace });
    const newest = Math.max(...list.items.map(item => Number(item.metadata.resourceVersion)));
    assert.ok(Number(list.metadata.resourceVersion) >= newest);
  });

  test('all pages of a list show the state of the first page', async () => {
    const namespace = await prepared('a', 'b', 'c', 'd', 'e');
    const first = await bench.client.list(widgets, { namespace, limit: 2 });
    assert.deepEqual(names(first.items), ['a', 'b']);
    assert.equal(first.metadata.remainingItemCount, 3);
    await bench.client.delete(widgets, { namespace, name: 'c' });
    await bench.createWidget(namespace, 'cc');
    await bench.client.patch(widgets, { namespace, name: 'd' }, { type: 'merge', body: { spec: { size: 'medium' } } });
    const token = first.metadata.continue ?? '';
    const second = await bench.client.list(widgets, { namespace, limit: 2, continue: token });
    assert.deepEqual(names(second.items), ['c', 'd']);
    assert.equal(second.items[1]?.spec?.size, 'small');
    assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
    const last = await bench.client.list(widgets, { namespace, limit: 2, continue: second.metadata.continue ?? '' });
    assert.deepEqual(names(last.items), ['e']);
    assert.equal(last.metadata.continue || undefined, undefined);
    assert.deepEqual(names((await bench.client.list(widgets, { namespace })).items), ['a', 'b', 'cc', 'd', 'e']);
  });

  test('a list with a selector has no remainingItemCount', async () => {
    const namespace = await bench.namespace();
    for (const name of ['a', 'b', 'c'])
      await bench.createWidget(namespace, name, { metadata: { name, labels: { x: 'y' } } });
    await bench.createWidget(namespace, 'aa');
    const first = await bench.client.list(widgets, { namespace, limit: 2, labelSelector: 'x=y' });
    assert.deepEqual(names(first.items), ['a', 'b']);
    assert.equal(first.metadata.remainingItemCount, undefined);
    const rest = { namespace, labelSelector: 'x=y', continue: first.metadata.continue ?? '' };
    assert.deepEqual(names((await bench.client.list(widgets, rest)).items), ['c']);
  });

  test('a metadata-only list has only the metadata of the objects', async () => {
    const namespace = await prepared('a');
    const [whole, alone] = [{ namespace }, { namespace, metadataOnly: true }].map(each =>
      bench.client.list(widgets, each),
    );
    const { apiVersion, kind, metadata } = (await whole)?.items[0] ?? assert.fail('it is not listed');
    assert.deepEqual((await alone)?.items, [{ apiVersion, kind, metadata }]);
  });

  test('an invalid continue token is a BadRequest', async () => {
    const namespace = await prepared();
    await refused(bench.client.list(widgets, { namespace, continue: 'no-token' }), {
      code: 400,
      message: /continue key is not valid/,
    });
  });

  test('a list at a known resourceVersion is served, and an invalid one is a BadRequest', async () => {
    const namespace = await prepared('a');
    const { metadata } = await bench.client.list(widgets, { namespace });
    const same = await bench.client.list(widgets, { namespace, resourceVersion: metadata.resourceVersion });
    assert.deepEqual(names(same.items), ['a']);
    const any = await bench.client.list(widgets, { namespace, resourceVersion: '0' });
    assert.ok(any.items.length <= 1);
    await refused(bench.client.list(widgets, { namespace, resourceVersion: 'words' }), { code: 400 });
  });
}

import assert from 'node:assert/strict';
import type { JsonPatchOperation } from '../../client/client.ts';
import type { Bench } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { type Widget, widgets } from './widgets.ts';

const rejected = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
};

export function patchContract(bench: Bench): void {
  const spec = { size: 'small', limits: { cpu: '1', memory: '2' }, steps: ['one', 'two', 'three'] };

  async function prepared(): Promise<{
    merge: (body: object) => Promise<Widget>;
    json: (...body: JsonPatchOperation[]) => Promise<Widget>;
    before: Widget;
  }> {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    const before = await bench.createWidget(namespace, 'a', { spec, metadata: { name: 'a', labels: { one: '1' } } });
    return {
      before,
      merge: body => bench.client.patch(widgets, key, { type: 'merge', body }),
      json: (...body) => bench.client.patch(widgets, key, { type: 'json', body }),
    };
  }

  test('a merge patch merges objects, removes null fields and replaces lists', async () => {
    const { merge } = await prepared();
    const after = await merge({
      metadata: { labels: { two: '2' } },
      spec: { limits: { cpu: null, disk: '3' }, steps: ['four'] },
    });
    assert.deepEqual(after.metadata.labels, { one: '1', two: '2' });
    assert.deepEqual(after.spec?.limits, { memory: '2', disk: '3' });
    assert.deepEqual(after.spec?.steps, ['four']);
    assert.equal(after.spec?.size, 'small');
  });

  test('a merge patch with an old resourceVersion is a Conflict', async () => {
    const { merge, before } = await prepared();
    const { resourceVersion } = before.metadata;
    await merge({ metadata: { resourceVersion }, spec: { size: 'medium' } });
    await refused(merge({ metadata: { resourceVersion }, spec: { size: 'small' } }), { code: 409, reason: 'Conflict' });
  });

  test('a merge patch with another uid and an old resourceVersion is a Conflict', async () => {
    const { merge, before } = await prepared();
    const { resourceVersion } = before.metadata;
    await merge({ spec: { size: 'medium' } });
    const metadata = { uid: 'another', resourceVersion };
    await refused(merge({ metadata, spec: { size: 'small' } }), { code: 409, reason: 'Conflict' });
  });

  test('a patch cannot change the uid or name of an object', async () => {
    const { merge } = await prepared();
    await refused(merge({ metadata: { uid: 'another' } }), {
      code: 422,
      causes: ['metadata.uid: FieldValueInvalid'],
      message: /field is immutable/,
    });
    await refused(merge({ metadata: { name: 'b' } }), {
      code: 400,
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
  });

  test('a patch of an absent object is NotFound', async () => {
    const namespace = await bench.namespace();
    const attempt = bench.client.patch(widgets, { namespace, name: 'absent' }, { type: 'merge', body: {} });
    await refused(attempt, { code: 404, reason: 'NotFound' });
  });

  test('a JSON patch adds, replaces, removes, copies and moves', async () => {
    const { json } = await prepared();
    const after = await json(
      { op: 'add', path: '/spec/title', value: 'abc' },
      { op: 'replace', path: '/spec/size', value: 'medium' },
      { op: 'remove', path: '/spec/limits/cpu' },
      { op: 'copy', from: '/spec/title', path: '/spec/note' },
      { op: 'move', from: '/metadata/labels/one', path: '/metadata/labels/example.test~1two' },
    );
    const { limits, title, note, size } = after.spec ?? {};
    assert.deepEqual(
      { limits, title, note, size },
      { limits: { memory: '2' }, title: 'abc', note: 'abc', size: 'medium' },
    );
    assert.deepEqual(after.metadata.labels, { 'example.test/two': '1' });
  });

  test('a JSON patch inserts at the end and in the middle of a list', async () => {
    const { json } = await prepared();
    const after = await json(
      { op: 'add', path: '/spec/steps/-', value: 'last' },
      { op: 'add', path: '/spec/steps/1', value: 'early' },
      { op: 'remove', path: '/spec/steps/0' },
      { op: 'replace', path: '/spec/steps/1', value: 'second' },
    );
    assert.deepEqual(after.spec?.steps, ['early', 'second', 'three', 'last']);
  });

  test('a JSON patch is applied only if its test operation holds', async () => {
    const { json } = await prepared();
    const change: JsonPatchOperation = { op: 'replace', path: '/spec/size', value: 'medium' };
    await refused(json({ op: 'test', path: '/spec/size', value: 'medium' }, change), rejected);
    await refused(json({ op: 'test', path: '/spec/title', value: 'abc' }, change), rejected);
    assert.equal((await json({ op: 'test', path: '/spec/size', value: 'small' }, change)).spec?.size, 'medium');
    await json({ op: 'test', path: '/spec/limits', value: { memory: '2', cpu: '1' } });
  });

  test('a JSON patch that does not fit the object is rejected', async () => {
    const { json } = await prepared();
    await refused(json({ op: 'remove', path: '/spec/title' }), rejected);
    await refused(json({ op: 'add', path: '/spec/absent/deep', value: 1 }), rejected);
    await refused(json({ op: 'add', path: '/spec/steps/9', value: 'x' }), rejected);
  });

  test('a JSON patch may replace a missing field', async () => {
    const { json } = await prepared();
    assert.equal((await json({ op: 'replace', path: '/spec/title', value: 'abc' })).spec?.title, 'abc');
  });

  test('a patch that violates the schema is Invalid and changes nothing', async () => {
    const { merge, before } = await prepared();
    await refused(merge({ spec: { size: 'huge' } }), { code: 422, causes: ['spec.size: FieldValueNotSupported'] });
    await refused(merge({ spec: { size: null } }), { code: 422, causes: ['spec.size: FieldValueRequired'] });
    assert.deepEqual(await merge({}), before);
  });
}

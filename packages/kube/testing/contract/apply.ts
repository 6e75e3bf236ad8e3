import assert from 'node:assert/strict';
import { configMaps, nodes } from '../../client/built-in.ts';
import type { ApplyOptions } from '../../client/client.ts';
import { type Bench, uniqueName } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { type Widget, widgets } from './widgets.ts';

type Content = Pick<Widget, 'spec' | 'status'> & { metadata?: Partial<Widget['metadata']> };

export function applyContract(bench: Bench): void {
  async function applier(): Promise<{
    apply: (by: string, content: Content, options?: Partial<ApplyOptions>) => Promise<Widget>;
    get: () => Promise<Widget>;
    namespace: string;
  }> {
    const namespace = await bench.namespace();
    const apply = (by: string, { metadata, ...content }: Content, options: Partial<ApplyOptions> = {}) =>
      bench.client.apply(
        widgets,
        { ...content, metadata: { ...metadata, name: 'a', namespace } },
        { fieldManager: by, ...options },
      );
    return { apply, namespace, get: () => bench.client.get(widgets, { namespace, name: 'a' }) };
  }

  test('apply creates an absent object and merges into an existing one', async () => {
    const { apply } = await applier();
    const created = await apply('one', { metadata: { labels: { a: '1' } }, spec: { size: 'small' } });
    assert.equal(created.metadata.generation, 1);
    assert.equal(created.spec?.count, 3);
    const merged = await apply('two', { metadata: { labels: { b: '2' } }, spec: { title: 'abc' } });
    assert.deepEqual(merged.metadata.labels, { a: '1', b: '2' });
    assert.equal(merged.spec?.size, 'small');
    assert.equal(merged.spec?.title, 'abc');
    assert.equal(merged.metadata.generation, 2);
  });

  test('a repeated apply changes nothing, not even the resourceVersion', async () => {
    const { apply } = await applier();
    const first = await apply('one', { spec: { size: 'small' } });
    assert.deepEqual(await apply('one', { spec: { size: 'small' } }), first);
  });

  test('a second field manager may apply the same value, but not change it', async () => {
    const { apply, get } = await applier();
    await apply('one', { spec: { size: 'small' } });
    const shared = await apply('two', { spec: { size: 'small' } });
    await refused(apply('two', { spec: { size: 'medium' } }), {
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.size',
      causes: ['.spec.size: FieldManagerConflict'],
    });
    assert.deepEqual(await get(), shared);
  });

  test('a forced apply takes a field over, and its former manager can no longer change it', async () => {
    const { apply } = await applier();
    await apply('one', { spec: { size: 'small' } });
    assert.equal((await apply('two', { spec: { size: 'medium' } }, { force: true })).spec?.size, 'medium');
    await refused(apply('one', { spec: { size: 'small' } }), {
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "two": .spec.size',
    });
  });

  test('a field changed by a plain patch belongs to the manager that patched it', async () => {
    const { apply, namespace } = await applier();
    await apply('one', { spec: { size: 'small', limits: { cpu: '1' } } });
    const patch = { type: 'merge', body: { spec: { limits: { cpu: '2' } } } } as const;
    await bench.client.patch(widgets, { namespace, name: 'a' }, patch, { fieldManager: 'patcher' });
    await refused(apply('one', { spec: { size: 'small', limits: { cpu: '1' } } }), {
      code: 409,
      message:
        'Apply failed with 1 conflict: conflict with "patcher" using contract.minifleet.dev/v1: .spec.limits.cpu',
    });
  });

  test('several conflicts are reported together, each with its manager', async () => {
    const { apply } = await applier();
    const ports = (port: number, name: string) => [{ port, name }];
    await apply('one', { spec: { size: 'small', ports: ports(1, 'x') } });
    await apply('two', { spec: { title: 'abc', ports: ports(2, 'y') } });
    const attempt = apply('three', {
      spec: { size: 'medium', title: 'xyz', ports: [...ports(1, 'z'), ...ports(2, 'z')] },
    });
    await refused(attempt, {
      code: 409,
      message: /^Apply failed with 4 conflicts: conflicts with "one":\n/,
      causes: [
        '.spec.size: FieldManagerConflict',
        '.spec.title: FieldManagerConflict',
        '.spec.ports[port=1].name: FieldManagerConflict',
        '.spec.ports[port=2].name: FieldManagerConflict',
      ],
    });
  });

  test('a field that its only manager no longer applies is removed', async () => {
    const { apply } = await applier();
    await apply('one', { metadata: { labels: { a: '1', b: '2' } }, spec: { size: 'small', title: 'abc' } });
    const after = await apply('one', { metadata: { labels: { b: '2' } }, spec: { size: 'small' } });
    assert.deepEqual(after.metadata.labels, { b: '2' });
    assert.equal(after.spec?.title, undefined);
    const bare = await apply('one', { spec: { size: 'small' } });
    assert.equal(bare.metadata.labels, undefined);
  });

  test('a field with another manager stays when one manager no longer applies it', async () => {
    const { apply } = await applier();
    await apply('one', { spec: { size: 'small', title: 'abc' } });
    await apply('two', { spec: { title: 'abc' } });
    assert.equal((await apply('one', { spec: { size: 'small' } })).spec?.title, 'abc');
    assert.equal((await apply('two', {})).spec?.title, undefined);
  });

  test('a default is restored when the applied value is removed', async () => {
    const { apply } = await applier();
    await apply('one', { spec: { size: 'small', count: 5 } });
    assert.equal((await apply('one', { spec: { size: 'small' } })).spec?.count, 3);
  });

  test('apply merges map lists by item and sets by value, and other lists have one owner', async () => {
    const { apply } = await applier();
    await apply('one', { spec: { size: 'small', ports: [{ port: 1, name: 'x' }], tags: ['q'], steps: ['s'] } });
    const both = await apply('two', { spec: { ports: [{ port: 2, name: 'y' }], tags: ['r'] } });
    assert.deepEqual(both.spec?.ports, [
      { port: 1, name: 'x' },
      { port: 2, name: 'y' },
    ]);
    assert.deepEqual(both.spec?.tags, ['q', 'r']);
    await refused(apply('two', { spec: { steps: ['s', 't'] } }), {
      code: 409,
      causes: ['.spec.steps: FieldManagerConflict'],
    });
    const left = await apply('one', { spec: { size: 'small' } });
    assert.deepEqual(left.spec?.ports, [{ port: 2, name: 'y' }]);
    assert.deepEqual(left.spec?.tags, ['r']);
    assert.equal(left.spec?.steps, undefined);
  });

  test('two field managers can own different fields of one list item', async () => {
    const { apply } = await applier();
    await apply('one', { spec: { size: 'small', ports: [{ port: 1, name: 'x' }] } });
    const both = await apply('two', { spec: { ports: [{ port: 1, protocol: 'UDP' }] } });
    assert.deepEqual(both.spec?.ports, [{ port: 1, name: 'x', protocol: 'UDP' }]);
    const left = await apply('one', { spec: { size: 'small' } });
    assert.deepEqual(left.spec?.ports, [{ port: 1, protocol: 'UDP' }]);
  });

  test('an apply to the status changes only the status and merges conditions by type', async () => {
    const { apply } = await applier();
    await apply('one', { spec: { size: 'small' } });
    const condition = (type: string) => ({ type, status: 'True' });
    const status = { subresource: 'status' };
    await apply('two', { spec: { size: 'medium' }, status: { conditions: [condition('Ready')] } }, status);
    const both = await apply('three', { status: { phase: 'Up', conditions: [condition('Paused')] } }, status);
    assert.equal(both.spec?.size, 'small');
    assert.deepEqual(both.status, { phase: 'Up', conditions: [condition('Ready'), condition('Paused')] });
    assert.equal(both.metadata.generation, 1);
    await refused(apply('two', { status: { phase: 'Down' } }, status), {
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "three" with subresource "status": .status.phase',
    });
  });

  test('an apply to the object does not change the status', async () => {
    const { apply } = await applier();
    await apply('one', { spec: { size: 'small' }, status: { phase: 'Up' } });
    assert.equal((await apply('one', { spec: { size: 'small' }, status: { phase: 'Up' } })).status, undefined);
  });

  test('an apply to the status of an absent object is NotFound', async () => {
    const { apply } = await applier();
    await refused(apply('one', { status: { phase: 'Up' } }, { subresource: 'status' }), {
      code: 404,
      reason: 'NotFound',
    });
  });

  test('an apply with an old resourceVersion is a Conflict', async () => {
    const { apply } = await applier();
    const { metadata } = await apply('one', { spec: { size: 'small' } });
    await apply('one', { spec: { size: 'medium' } });
    const resourceVersion = metadata.resourceVersion ?? '';
    const attempt = apply('one', { metadata: { resourceVersion }, spec: { size: 'small' } });
    await refused(attempt, { code: 409, reason: 'Conflict', message: /the object has been modified/ });
  });

  test('an apply with another uid is Invalid', async () => {
    const { apply } = await applier();
    await apply('one', { spec: { size: 'small' } });
    await refused(apply('one', { metadata: { uid: 'another' }, spec: { size: 'medium' } }), {
      code: 422,
      causes: ['metadata.uid: FieldValueInvalid'],
    });
  });

  test('an apply with a uid creates nothing', async () => {
    const { apply } = await applier();
    const attempt = apply('one', { metadata: { uid: 'gone' }, spec: { size: 'small' } });
    await refused(attempt, {
      code: 409,
      reason: 'Conflict',
      message: /uid mismatch: the provided object specified uid gone/,
    });
  });

  test('an apply requires a field manager, and only an apply can be forced', async () => {
    const { namespace } = await applier();
    await bench.createWidget(namespace, 'a');
    const path = `/apis/contract.minifleet.dev/v1/namespaces/${namespace}/widgets/a`;
    const body = { apiVersion: 'contract.minifleet.dev/v1', kind: 'Widget', metadata: { name: 'a' } };
    const patch = (contentType: string, query: Record<string, boolean>) =>
      bench.client.send({ method: 'PATCH', path, body, contentType, query });
    await refused(patch('application/apply-patch+yaml', {}), {
      code: 422,
      causes: ['fieldManager: FieldValueRequired'],
    });
    await refused(patch('application/merge-patch+json', { force: true }), {
      code: 422,
      causes: ['force: FieldValueForbidden'],
    });
  });

  test('an apply of managedFields or of an unknown field is rejected', async () => {
    const { apply } = await applier();
    await refused(apply('one', { metadata: { managedFields: [{}] } }), {
      code: 400,
      message: 'metadata.managedFields must be nil',
    });
    const spec = { size: 'small', wrong: 1 } as Widget['spec'];
    await refused(apply('one', spec ? { spec } : {}), {
      code: 500,
      message: /\.spec\.wrong: field not declared in schema/,
    });
  });

  test('an invalid apply is Invalid and creates nothing', async () => {
    const { apply, namespace } = await applier();
    await refused(apply('one', { spec: { size: 'huge' } }), {
      code: 422,
      causes: ['spec.size: FieldValueNotSupported'],
    });
    assert.equal(await bench.client.find(widgets, { namespace, name: 'a' }), undefined);
  });

  test('a dry run of an apply stores nothing', async () => {
    const { apply, namespace } = await applier();
    assert.equal((await apply('one', { spec: { size: 'small' } }, { dryRun: true })).spec?.count, 3);
    assert.equal(await bench.client.find(widgets, { namespace, name: 'a' }), undefined);
  });

  test('built-in resources can be applied', async () => {
    const { namespace } = await applier();
    const apply = (by: string, data: Record<string, string>) =>
      bench.client.apply(configMaps, { metadata: { name: 'a', namespace }, data }, { fieldManager: by });
    await apply('one', { a: '1' });
    assert.deepEqual((await apply('two', { b: '2' })).data, { a: '1', b: '2' });
    await refused(apply('two', { a: '2' }), { code: 409, causes: ['.data.a: FieldManagerConflict'] });
    assert.deepEqual((await apply('one', {})).data, { b: '2' });
  });

  test('conditions of a Node are applied by type', async () => {
    const metadata = { name: uniqueName('node') };
    await bench.client.create(nodes, { metadata });
    const apply = (by: string, type: string) =>
      bench.client.apply(
        nodes,
        { metadata, status: { conditions: [{ type, status: 'True' }] } },
        { fieldManager: by, subresource: 'status' },
      );
    await apply('one', 'A');
    const { status } = await apply('two', 'B');
    assert.deepEqual(status?.conditions?.map(({ type }) => type).sort(), ['A', 'B']);
  });
}

import assert from 'node:assert/strict';
import type { KubeObject } from '../../object.ts';
import type { Bench } from './bench.ts';
import { test } from './test.ts';
import { widgets } from './widgets.ts';

interface OwnershipEntry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsType: string;
  readonly fieldsV1: object;
}

/** Maps each manager to the fields that it owns. */
const ownersOf = (object: KubeObject): Record<string, object> =>
  Object.fromEntries(
    ((object.metadata.managedFields ?? []) as OwnershipEntry[]).map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, ...(subresource ? [subresource] : [])].join(' '),
      fieldsV1,
    ]),
  );

export function fieldOwnershipContract(bench: Bench): void {
  test('a creator owns the fields it sent and their defaults', async () => {
    const namespace = await bench.namespace();
    const object = { metadata: { name: 'a', namespace, labels: { a: '1' } }, spec: { size: 'small' } };
    const created = await bench.client.create(widgets, object, { fieldManager: 'creator' });
    assert.deepEqual(ownersOf(created), {
      'creator Update': {
        'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
        'f:spec': { '.': {}, 'f:count': {}, 'f:size': {} },
      },
    });
  });

  test('an applier owns the fields it sent and not their defaults', async () => {
    const namespace = await bench.namespace();
    const spec = { size: 'small', tags: ['q'], ports: [{ port: 1, name: 'x' }], limits: { cpu: '1' }, nested: {} };
    const object = { metadata: { name: 'a', namespace, finalizers: ['a.test/b'] }, spec };
    const applied = await bench.client.apply(widgets, object, { fieldManager: 'applier' });
    assert.deepEqual(ownersOf(applied), {
      'applier Apply': {
        'f:metadata': { 'f:finalizers': { 'v:"a.test/b"': {} } },
        'f:spec': {
          'f:limits': { 'f:cpu': {} },
          'f:nested': {},
          'f:ports': { 'k:{"port":1}': { '.': {}, 'f:name': {}, 'f:port': {} } },
          'f:size': {},
          'f:tags': { 'v:"q"': {} },
        },
      },
    });
  });

  test('a status write has its own managedFields entry', async () => {
    const namespace = await bench.namespace();
    const key = { namespace, name: 'a' };
    const fieldManager = 'writer';
    await bench.client.create(widgets, { metadata: { ...key }, spec: { size: 'small' } }, { fieldManager });
    const patch = { type: 'merge', body: { status: { phase: 'Up' } } } as const;
    const patched = await bench.client.patch(widgets, key, patch, { fieldManager, subresource: 'status' });
    assert.deepEqual(ownersOf(patched), {
      'writer Update': { 'f:spec': { '.': {}, 'f:count': {}, 'f:size': {} } },
      'writer Update status': { 'f:status': { '.': {}, 'f:phase': {} } },
    });
  });

  test('a forced apply and a plain write both take over fields from their managers', async () => {
    const namespace = await bench.namespace();
    const metadata = { name: 'a', namespace };
    const spec = { size: 'small', title: 'abc' };
    await bench.client.apply(widgets, { metadata, spec }, { fieldManager: 'one' });
    await bench.client.apply(widgets, { metadata, spec: { size: 'medium' } }, { fieldManager: 'two', force: true });
    const patch = { type: 'merge', body: { spec: { title: 'xyz' } } } as const;
    const patched = await bench.client.patch(widgets, metadata, patch, { fieldManager: 'three' });
    assert.deepEqual(ownersOf(patched), {
      'two Apply': { 'f:spec': { 'f:size': {} } },
      'three Update': { 'f:spec': { 'f:title': {} } },
    });
  });

  test('a removed field has no manager', async () => {
    const namespace = await bench.namespace();
    const metadata = { name: 'a', namespace };
    const spec = { size: 'small', title: 'abc' };
    await bench.client.apply(widgets, { metadata, spec }, { fieldManager: 'one' });
    const patch = { type: 'merge', body: { spec: { title: null } } } as const;
    const patched = await bench.client.patch(widgets, metadata, patch, { fieldManager: 'two' });
    assert.deepEqual(ownersOf(patched), { 'one Apply': { 'f:spec': { 'f:size': {} } } });
  });
}

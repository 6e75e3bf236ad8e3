import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { isConflict } from '../client/api-error.ts';
import type { Resource } from '../client/resource.ts';
import type { KubeObject } from '../object.ts';
import { createMemoryApi, type MemoryApi } from '../testing/memory-api.ts';
import { type Condition, findCondition, setCondition } from './conditions.ts';
import { addFinalizer, removeFinalizer } from './finalizers.ts';
import { patching } from './patching.ts';

interface Widget extends KubeObject {
  spec?: { size?: number; colour?: string };
  status?: { phase?: string; conditions?: Condition[] };
}

const widgets: Resource<Widget> = {
  group: 'test.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};
const key = { namespace: 'default', name: 'w' };
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.test.dev' },
  spec: {
    group: 'test.dev',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      },
    ],
  },
};

describe('patching', () => {
  const clock = fakeClock();
  let api: MemoryApi;
  let object: Widget;

  beforeEach(async () => {
    api = createMemoryApi({ clock, crds: [crd] });
    object = await api.client.create(widgets, { metadata: key, spec: { size: 1 } });
  });

  const change = <R>(work: (draft: Widget) => Promise<R>): Promise<R> =>
    patching(api, { resource: widgets, object }, work);
  const read = (): Promise<Widget> => api.client.get(widgets, key);
  const patches = (): string[] =>
    api.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path.split('/').slice(-1).join());

  test('patching sends nothing for an unchanged object', async () => {
    assert.equal(await change(async () => 'done'), 'done');
    assert.deepEqual(patches(), []);
  });

  test('a patch of spec and status is sent as one request each and keeps concurrent changes', async () => {
    await api.client.patch(widgets, key, { type: 'merge', body: { spec: { colour: 'red' } } });
    await change(async draft => {
      draft.spec = { ...draft.spec, size: 2 };
      draft.status = { phase: 'Ready' };
    });
    assert.deepEqual(patches(), ['w', 'w', 'status']);
    const after = await read();
    assert.deepEqual([after.spec, after.status], [{ size: 2, colour: 'red' }, { phase: 'Ready' }]);
  });

  test('a patch does not modify the object that was read', async () => {
    await change(async draft => {
      draft.spec = { size: 9 };
    });
    assert.equal(object.spec?.size, 1);
  });

  test('a change that throws still writes its status, and the error is rethrown', async () => {
    const failing = change(async draft => {
      setCondition(draft, { type: 'Claimed', status: 'True', reason: 'Claimed' }, clock);
      throw new Error('then it broke');
    });
    await assert.rejects(failing, /then it broke/);
    assert.equal(findCondition(await read(), 'Claimed')?.status, 'True');
  });

  test('a change that throws and cannot be written reports both errors', async () => {
    api.faults.failNext({ match: { method: 'PATCH' }, status: 403, reason: 'Forbidden', message: 'no rights' });
    const failing = change(async draft => {
      draft.spec = { size: 2 };
      throw new Error('it broke');
    });
    await assert.rejects(failing, /it broke; its changes could not be written either: .*no rights/);
  });

  test('a patch keeps a condition that another writer set meanwhile', async () => {
    const other = {
      type: 'Theirs',
      status: 'True',
      reason: 'Set',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    await api.client.patch(
      widgets,
      key,
      { type: 'merge', body: { status: { conditions: [other] } } },
      { subresource: 'status' },
    );
    await change(async draft => setCondition(draft, { type: 'Ours', status: 'True', reason: 'Set' }, clock));
    assert.deepEqual(
      (await read()).status?.conditions?.map(({ type }) => type),
      ['Theirs', 'Ours'],
    );
  });

  test('a recreated object of the same name is not patched', async () => {
    await api.client.delete(widgets, key);
    await api.client.create(widgets, { metadata: key, spec: { size: 5 } });
    await assert.rejects(
      change(async draft => {
        draft.spec = { size: 2 };
      }),
      /uid/,
    );
    assert.equal((await read()).spec?.size, 5);
  });

  test('a recreated object of the same name gets no status of its predecessor', async () => {
    await api.client.delete(widgets, key);
    await api.client.create(widgets, { metadata: key });
    const late = change(async draft => {
      draft.status = { phase: 'Ready' };
    });
    await assert.rejects(
      late,
      /patch status of Widget default\/w: the object was deleted and recreated with the same name/,
    );
    assert.equal((await read()).status, undefined);
  });

  test('addFinalizer conflicts with a concurrent change of the finalizers', async () => {
    await api.client.patch(widgets, key, { type: 'merge', body: { metadata: { finalizers: ['theirs.dev/f'] } } });
    await assert.rejects(addFinalizer({ client: api.client, resource: widgets }, object, 'ours.dev/f'), isConflict);
    assert.deepEqual((await read()).metadata.finalizers, ['theirs.dev/f']);
  });

  test('a finalizer is added once, never during deletion, and its removal completes the deletion', async () => {
    const target = { client: api.client, resource: widgets };
    assert.equal(await addFinalizer(target, object, 'ours.dev/f'), true);
    assert.equal(await addFinalizer(target, await read(), 'ours.dev/f'), false);
    await api.client.delete(widgets, key);
    const going = await read();
    assert.equal(await addFinalizer(target, going, 'late.dev/f'), false);
    await removeFinalizer(target, going, 'ours.dev/f');
    assert.equal(await api.client.find(widgets, key), undefined);
    await removeFinalizer(target, going, 'ours.dev/f');
  });
});

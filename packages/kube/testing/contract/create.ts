import assert from 'node:assert/strict';
import { configMaps, namespaces, nodes, pods, secrets } from '../../client/built-in.ts';
import type { Bench } from './bench.ts';
import { uniqueName } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { gadgets, widgets } from './widgets.ts';

export function createContract(bench: Bench): void {
  test('a new object gets a uid, a resourceVersion and a creation time to the second', async () => {
    const created = await bench.createConfigMap(await bench.namespace(), 'a');
    assert.match(created.metadata.uid ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.match(created.metadata.resourceVersion ?? '', /^\d+$/);
    assert.match(created.metadata.creationTimestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(created.data, { colour: 'red' });
    assert.equal(created.kind, 'ConfigMap');
    assert.equal(created.apiVersion, 'v1');
  });

  test('a created object is returned unchanged by get', async () => {
    const namespace = await bench.namespace();
    const created = await bench.createWidget(namespace, 'a');
    assert.deepEqual(await bench.client.get(widgets, { namespace, name: 'a' }), created);
  });

  test('system metadata in a create request is ignored', async () => {
    const metadata = { uid: 'mine', creationTimestamp: '2020-01-01T00:00:00Z', generation: 7 };
    const created = await bench.createWidget(await bench.namespace(), 'a', { metadata: { name: 'a', ...metadata } });
    assert.notEqual(created.metadata.uid, metadata.uid);
    assert.notEqual(created.metadata.creationTimestamp, metadata.creationTimestamp);
    assert.equal(created.metadata.generation, 1);
  });

  test('a create request with a resourceVersion is rejected', async () => {
    const namespace = await bench.namespace();
    const attempt = bench.createConfigMap(namespace, 'a', { resourceVersion: '5' });
    await refused(attempt, { code: 500, message: 'resourceVersion should not be set on objects to be created' });
  });

  test('a second object of the same name is AlreadyExists', async () => {
    const namespace = await bench.namespace();
    await bench.createWidget(namespace, 'a');
    await refused(bench.createWidget(namespace, 'a'), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'widgets.contract.minifleet.dev "a" already exists',
    });
  });

  test('the same name in another namespace is another object', async () => {
    const [one, other] = [await bench.namespace(), await bench.namespace()];
    const first = await bench.createConfigMap(one, 'a');
    const second = await bench.createConfigMap(other, 'a');
    assert.notEqual(first.metadata.uid, second.metadata.uid);
  });

  test('generateName yields unique names', async () => {
    const namespace = await bench.namespace();
    const make = () => bench.client.create(configMaps, { metadata: { generateName: 'made-', namespace } });
    const [one, other] = [await make(), await make()];
    assert.match(one.metadata.name, /^made-[a-z0-9]{5}$/);
    assert.equal(one.metadata.generateName, 'made-');
    assert.notEqual(one.metadata.name, other.metadata.name);
  });

  test('an object requires a name or a generateName', async () => {
    const namespace = await bench.namespace();
    await refused(bench.client.create(configMaps, { metadata: { namespace } }), {
      code: 422,
      reason: 'Invalid',
      message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      causes: ['metadata.name: FieldValueRequired'],
    });
  });

  test('a name that is not a DNS subdomain is Invalid', async () => {
    const namespace = await bench.namespace();
    const expected = { code: 422, reason: 'Invalid', causes: ['metadata.name: FieldValueInvalid'] };
    await refused(bench.createConfigMap(namespace, 'Not_A_Name'), {
      ...expected,
      message: /^ConfigMap "Not_A_Name" is invalid/,
    });
    await refused(bench.createWidget(namespace, 'Not_A_Name'), {
      ...expected,
      message: /^Widget\.contract\.minifleet\.dev "Not_A_Name" is invalid: metadata\.name: Invalid value: "Not_A_Name"/,
    });
  });

  test('the name of a Namespace must not contain dots', async () => {
    await refused(bench.client.create(namespaces, { metadata: { name: 'a.b' } }), {
      code: 422,
      message: 'Namespace "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots',
    });
  });

  test('invalid labels are Invalid', async () => {
    const namespace = await bench.namespace();
    await refused(bench.createConfigMap(namespace, 'a', { labels: { 'a b': 'c d' } }), {
      code: 422,
      causes: ['metadata.labels: FieldValueInvalid'],
    });
  });

  test('a finalizer without a domain is Invalid on a built-in resource', async () => {
    const namespace = await bench.namespace();
    await refused(bench.createConfigMap(namespace, 'a', { finalizers: ['mine'] }), {
      code: 422,
      causes: ['metadata.finalizers[0]: FieldValueInvalid'],
    });
  });

  test('an owner reference requires an apiVersion and a uid', async () => {
    const namespace = await bench.namespace();
    const ownerReferences = [{ apiVersion: '', kind: 'Widget', name: 'a', uid: '' }];
    await refused(bench.createConfigMap(namespace, 'a', { ownerReferences }), {
      code: 422,
      causes: [
        'metadata.ownerReferences.apiVersion: FieldValueInvalid',
        'metadata.ownerReferences.uid: FieldValueInvalid',
      ],
    });
  });

  test('a create request in a missing namespace is NotFound', async () => {
    const expected = { code: 404, reason: 'NotFound', message: 'namespaces "nowhere" not found' };
    await refused(bench.createConfigMap('nowhere', 'a'), expected);
    await refused(bench.createWidget('nowhere', 'a'), expected);
  });

  test('default, kube-system, kube-public and kube-node-lease exist', async () => {
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
      assert.equal((await bench.client.get(namespaces, { name })).status?.phase, 'Active');
    }
  });

  test('a new Namespace is Active and has its name as a label', async () => {
    const name = await bench.namespace();
    const namespace = await bench.client.get(namespaces, { name });
    assert.equal(namespace.metadata.labels?.['kubernetes.io/metadata.name'], name);
    assert.equal(namespace.status?.phase, 'Active');
    assert.deepEqual(namespace.spec?.finalizers, ['kubernetes']);
  });

  test('a new Pod is Pending and has its defaults, whatever status was sent', async () => {
    const namespace = await bench.namespace();
    const pod = await bench.client.create(pods, {
      metadata: { name: 'a', namespace },
      spec: { containers: [{ name: 'main', image: 'example.test/image' }] },
      status: { phase: 'Running' },
    });
    assert.equal(pod.status?.phase, 'Pending');
    assert.equal(pod.spec?.restartPolicy, 'Always');
    assert.equal(pod.spec?.terminationGracePeriodSeconds, 30);
    assert.equal(pod.spec?.containers[0]?.imagePullPolicy, 'Always');
    assert.equal(pod.spec?.schedulerName, 'default-scheduler');
    assert.equal(pod.spec?.serviceAccountName, 'default');
  });

  test('a new Node keeps the status that was sent', async () => {
    const name = uniqueName('node');
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    const node = await bench.client.create(nodes, { metadata: { name }, status });
    assert.equal(node.status?.conditions?.[0]?.type, 'Ready');
  });

  test('stringData of a Secret is stored as data', async () => {
    const namespace = await bench.namespace();
    const secret = await bench.client.create(secrets, {
      metadata: { name: 'a', namespace },
      stringData: { key: 'value' },
    });
    assert.deepEqual(secret.data, { key: 'dmFsdWU=' });
    assert.equal(secret.stringData, undefined);
    assert.equal(secret.type, 'Opaque');
  });

  test('a dry run of a create returns the object and stores nothing', async () => {
    const namespace = await bench.namespace();
    const object = { metadata: { name: 'a', namespace }, spec: { size: 'small' } };
    const shown = await bench.client.create(widgets, object, { dryRun: true });
    assert.equal(shown.spec?.count, 3);
    assert.equal(shown.metadata.resourceVersion, undefined);
    assert.equal(await bench.client.find(widgets, { namespace, name: 'a' }), undefined);
  });

  test('a cluster-scoped custom resource has no namespace', async () => {
    const name = uniqueName('gadget');
    const created = await bench.client.create(gadgets, { metadata: { name }, spec: { any: ['thing'] } });
    assert.equal(created.metadata.namespace, undefined);
    assert.deepEqual((await bench.client.get(gadgets, { name })).spec, { any: ['thing'] });
  });
}

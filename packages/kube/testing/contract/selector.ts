import assert from 'node:assert/strict';
import { configMaps, events, namespaces, nodes, pods, secrets } from '../../client/built-in.ts';
import { type Bench, uniqueName } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { widgets } from './widgets.ts';

export function selectorContract(bench: Bench): void {
  const names = (list: { items: readonly { metadata: { name: string } }[] }): string =>
    list.items.map(item => item.metadata.name).join(' ');

  test('a label selector supports equality, membership and presence', async () => {
    const namespace = await bench.namespace();
    const all = { a: { tier: 'web', zone: '1' }, b: { tier: 'db' }, c: { zone: '2' }, d: {} };
    for (const [name, labels] of Object.entries(all)) await bench.createConfigMap(namespace, name, { labels });
    const chosen = async (labelSelector: string): Promise<string> => {
      const list = await bench.client.list(configMaps, { namespace, labelSelector });
      return names({ items: list.items.filter(item => item.metadata.name !== 'kube-root-ca.crt') });
    };
    assert.equal(await chosen('tier=web'), 'a');
    assert.equal(await chosen('tier==web'), 'a');
    assert.equal(await chosen('tier!=web'), 'b c d');
    assert.equal(await chosen('tier'), 'a b');
    assert.equal(await chosen('!tier'), 'c d');
    assert.equal(await chosen('tier in (web, db)'), 'a b');
    assert.equal(await chosen('tier notin (web)'), 'b c d');
    assert.equal(await chosen('tier in (web,db),zone'), 'a');
    assert.equal(await chosen('tier,!zone'), 'b');
    assert.equal(await chosen('zone>1'), 'c');
    assert.equal(await chosen('tier='), '');
  });

  test('a label selector that does not parse is a BadRequest', async () => {
    const namespace = await bench.namespace();
    for (const labelSelector of ['a in (', 'a=b c', '=a']) {
      await refused(bench.client.list(widgets, { namespace, labelSelector }), { code: 400, reason: 'BadRequest' });
    }
  });

  test('a field selector supports name and namespace of every resource', async () => {
    const namespace = await bench.namespace();
    for (const name of ['a', 'b']) await bench.createWidget(namespace, name);
    const chosen = async (fieldSelector: string): Promise<string> =>
      names(await bench.client.list(widgets, { namespace, fieldSelector }));
    assert.equal(await chosen('metadata.name=a'), 'a');
    assert.equal(await chosen('metadata.name!=a'), 'b');
    assert.equal(await chosen(`metadata.namespace=${namespace},metadata.name=b`), 'b');
    assert.equal(await chosen('metadata.namespace=another'), '');
  });

  test('a field selector supports node and phase of Pods', async () => {
    const namespace = await bench.namespace();
    await bench.createPod(namespace, 'a', { nodeName: 'one' });
    await bench.createPod(namespace, 'b', { nodeName: 'two' });
    await bench.createPod(namespace, 'c');
    const chosen = async (fieldSelector: string): Promise<string> =>
      names(await bench.client.list(pods, { namespace, fieldSelector }));
    assert.equal(await chosen('spec.nodeName=one'), 'a');
    assert.equal(await chosen('spec.nodeName='), 'c');
    assert.equal(await chosen('spec.nodeName!=one,status.phase=Pending'), 'b c');
    assert.equal(await chosen('status.phase=Running'), '');
  });

  test('a field selector supports the special fields of Nodes, Namespaces, Secrets and Events', async () => {
    const namespace = await bench.namespace();
    const name = uniqueName('node');
    await bench.client.create(nodes, { metadata: { name }, spec: { unschedulable: true } });
    const fieldSelector = `spec.unschedulable=true,metadata.name=${name}`;
    assert.equal(names(await bench.client.list(nodes, { fieldSelector })), name);
    const active = await bench.client.list(namespaces, {
      fieldSelector: `status.phase=Active,metadata.name=${namespace}`,
    });
    assert.equal(names(active), namespace);
    await bench.client.create(secrets, { metadata: { name: 'a', namespace }, type: 'example.test/own' });
    assert.equal(names(await bench.client.list(secrets, { namespace, fieldSelector: 'type=example.test/own' })), 'a');
    await bench.client.create(events, {
      metadata: { name: 'a', namespace },
      eventTime: '2026-01-01T00:00:00.000000Z',
      regarding: { kind: 'Widget', name: 'w', namespace },
      action: 'Testing',
      reason: 'Tested',
      reportingController: 'contract.minifleet.dev/test',
      reportingInstance: 'one',
      type: 'Normal',
    });
    const found = await bench.client.list(events, { namespace, fieldSelector: 'regarding.name=w,reason=Tested' });
    assert.equal(names(found), 'a');
  });

  test('a field selector supports the selectableFields of a CRD', async () => {
    const namespace = await bench.namespace();
    await bench.createWidget(namespace, 'a');
    await bench.createWidget(namespace, 'b', { spec: { size: 'medium' } });
    assert.equal(names(await bench.client.list(widgets, { namespace, fieldSelector: 'spec.size=medium' })), 'b');
  });

  test('a field selector with an unsupported field is a BadRequest', async () => {
    const namespace = await bench.namespace();
    const expected = { code: 400, reason: 'BadRequest' };
    const fieldSelector = 'spec.unknown=1';
    await refused(bench.client.list(configMaps, { namespace, fieldSelector }), {
      ...expected,
      message: '"spec.unknown" is not a known field selector: only "metadata.name", "metadata.namespace"',
    });
    const message = 'field label not supported: spec.unknown';
    await refused(bench.client.list(pods, { namespace, fieldSelector }), { ...expected, message });
    await refused(bench.client.list(widgets, { namespace, fieldSelector }), { ...expected, message });
    await refused(bench.client.list(widgets, { namespace, fieldSelector: 'words' }), expected);
  });
}

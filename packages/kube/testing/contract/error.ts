import assert from 'node:assert/strict';
import type { ApiRequest } from '../../client/transport.ts';
import type { Bench } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { widgets } from './widgets.ts';

export function errorContract(bench: Bench): void {
  const send = (method: ApiRequest['method'], path: string, more: Partial<ApiRequest> = {}): Promise<string> =>
    bench.client.send({ method, path, ...more });
  const widgetPath = (namespace: string): string => `/apis/contract.minifleet.dev/v1/namespaces/${namespace}/widgets`;

  test('a get of an absent object is NotFound, and find returns undefined', async () => {
    const namespace = await bench.namespace();
    await refused(bench.client.get(widgets, { namespace, name: 'a' }), {
      code: 404,
      reason: 'NotFound',
      message: 'widgets.contract.minifleet.dev "a" not found',
    });
    assert.equal(await bench.client.find(widgets, { namespace, name: 'a' }), undefined);
  });

  test('an unknown resource is 404, with or without a Status', async () => {
    await refused(send('GET', '/apis/nobody.test/v1/things'), { code: 404, message: '404 page not found\n' });
    await refused(send('GET', '/api/v1/things'), {
      code: 404,
      message: 'the server could not find the requested resource',
    });
    await refused(send('GET', '/api/v1/namespaces/default/configmaps/a/status'), { code: 404 });
  });

  test('an unsupported verb of a resource is MethodNotAllowed', async () => {
    const expected = { code: 405, reason: 'MethodNotAllowed' };
    await refused(send('POST', '/api/v1/namespaces/default/configmaps/a', { body: {} }), expected);
    await refused(send('PUT', '/api/v1/namespaces/default/configmaps', { body: {} }), expected);
  });

  test('a body with another version, kind or namespace is rejected', async () => {
    const namespace = await bench.namespace();
    const body = { apiVersion: 'contract.minifleet.dev/v1', kind: 'Widget', metadata: { name: 'a' } };
    const post = (more: object) => send('POST', widgetPath(namespace), { body: { ...body, ...more } });
    await refused(post({ apiVersion: 'contract.minifleet.dev/v2' }), {
      code: 400,
      message:
        'the API version in the data (contract.minifleet.dev/v2) does not match the expected API version (contract.minifleet.dev/v1)',
    });
    await refused(post({ kind: 'Gadget' }), { code: 422, causes: ['kind: FieldValueInvalid'] });
    await refused(post({ kind: undefined }), { code: 400, message: /Object 'Kind' is missing/ });
    await refused(post({ metadata: { name: 'a', namespace: 'another' } }), {
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  test('a PUT whose body has another name is a BadRequest', async () => {
    const namespace = await bench.namespace();
    const { metadata, ...widget } = await bench.createWidget(namespace, 'a');
    const body = { ...widget, metadata: { ...metadata, name: 'b' } };
    await refused(send('PUT', `${widgetPath(namespace)}/a`, { body }), {
      code: 400,
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
  });

  test('an unsupported content type is UnsupportedMediaType', async () => {
    const namespace = await bench.namespace();
    await bench.createWidget(namespace, 'a');
    const expected = { code: 415, reason: 'UnsupportedMediaType' };
    const path = `${widgetPath(namespace)}/a`;
    await refused(send('PATCH', path, { body: {}, contentType: 'application/json' }), expected);
    await refused(send('POST', widgetPath(namespace), { body: {}, contentType: 'text/plain' }), expected);
  });

  test('a patch body of the wrong shape is a BadRequest', async () => {
    const namespace = await bench.namespace();
    await bench.createWidget(namespace, 'a');
    const path = `${widgetPath(namespace)}/a`;
    await refused(send('PATCH', path, { body: {}, contentType: 'application/json-patch+json' }), { code: 400 });
    await refused(send('PATCH', path, { body: [], contentType: 'application/merge-patch+json' }), { code: 400 });
  });

  test('the API server serves /readyz and /version', async () => {
    assert.equal(await send('GET', '/readyz'), 'ok');
    const { gitVersion } = JSON.parse(await send('GET', '/version')) as { gitVersion: string };
    assert.match(gitVersion, /^v1\.\d+\.\d+/);
  });
}

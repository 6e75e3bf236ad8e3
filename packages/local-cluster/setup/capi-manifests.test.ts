import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onLoopback, withConversion } from './capi-manifests.ts';

const address = { url: 'https://127.0.0.1:9', certificateAuthority: 'authority' };
const caBundle = Buffer.from('authority').toString('base64');

test('Cluster API: a webhook keeps its path and is called on loopback', () => {
  const configuration = onLoopback(
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'mutating-webhook-configuration' },
      webhooks: [{ clientConfig: { service: { path: '/mutate-it' } } }],
    },
    address,
  );
  assert.equal(configuration.metadata.name, 'capi-mutating-webhook-configuration');
  assert.deepEqual(configuration.webhooks, [{ clientConfig: { url: 'https://127.0.0.1:9/mutate-it', caBundle } }]);
});

test('Cluster API: a CRD is converted by the manager and has the labels of clusterctl', () => {
  const crd = withConversion(
    {
      apiVersion: 'v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'machines', labels: { kept: 'yes' } },
      spec: {},
    },
    address,
  );
  assert.deepEqual(crd.metadata.labels, {
    kept: 'yes',
    'cluster.x-k8s.io/provider': 'cluster-api',
    'clusterctl.cluster.x-k8s.io': '',
  });
  assert.deepEqual(crd.spec.conversion, {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:9/convert', caBundle } },
  });
});

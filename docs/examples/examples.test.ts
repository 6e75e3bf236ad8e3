import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runnerPool } from '@minifleet/api/testing/kinds';
import type { Pod } from '@minifleet/kube';
import { refuseFields } from '@minifleet/tart-kubelet/testing/pods';
import { parseAllDocuments } from 'yaml';

interface Document {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

interface Pool extends Document {
  readonly spec: { readonly forge: { readonly secretName: string } };
}

interface AppSecret extends Document {
  readonly stringData: Readonly<Record<string, string>>;
}

interface Deployment extends Document {
  readonly spec: { readonly template: { readonly spec: NonNullable<Pod['spec']> } };
}

const documents = (file: string): unknown[] =>
  parseAllDocuments(readFileSync(new URL(file, import.meta.url), 'utf8')).map(each => each.toJS() as unknown);

test('the example RunnerPool is valid, and its Secret has the required fields', () => {
  const [secret, pool] = documents('runner-pool.yaml') as [AppSecret, Pool];
  assert.deepEqual(runnerPool.validate(pool), { ok: true, problems: [] });
  assert.deepEqual(Object.keys(secret.stringData), ['app-id', 'installation-id', 'private-key']);
  assert.equal(pool.spec.forge.secretName, secret.metadata.name);
  assert.equal(pool.metadata.namespace, secret.metadata.namespace);
});

test('the example xcresult-processor uses only supported fields and one VM slot', () => {
  const [deployment] = documents('xcresult-processor.yaml') as [Deployment];
  const { spec } = deployment.spec.template;
  assert.equal(refuseFields(spec), undefined);
  const { requests, limits } = spec.containers[0]?.resources ?? {};
  assert.equal(requests?.['minifleet.dev/macos-vm'], 1);
  assert.equal(limits?.['minifleet.dev/macos-vm'], 1);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { kinds, type MacHost, type MacMachine } from '@minifleet/api';
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

/** The kinds of Minifleet's own objects in an example. */
const ownKinds = (objects: readonly unknown[]): readonly { readonly kind: string; readonly problems: unknown }[] =>
  (objects as readonly { readonly apiVersion: string; readonly kind: string }[]).flatMap(object => {
    const own = kinds.find(
      ({ resource }) => `${resource.group}/${resource.version}` === object.apiVersion && resource.kind === object.kind,
    );
    return own ? [{ kind: object.kind, problems: own.validate(object).problems }] : [];
  });

test('the example of owned Macs is valid, and its machines claim the pool of its hosts', () => {
  const objects = documents('owned-macs.yaml');
  assert.deepEqual(ownKinds(objects), [
    { kind: 'MacHost', problems: [] },
    { kind: 'MacHost', problems: [] },
    { kind: 'MacCluster', problems: [] },
    { kind: 'ExternalControlPlane', problems: [] },
    { kind: 'MacMachineTemplate', problems: [] },
  ]);
  const hosts = objects.slice(0, 2) as MacHost[];
  const template = objects[5] as { readonly spec: { readonly template: { readonly spec: MacMachine['spec'] } } };
  for (const { spec } of hosts) assert.equal(spec.pool, template.spec.template.spec.pool);
});

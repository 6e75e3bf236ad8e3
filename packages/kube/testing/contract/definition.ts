import assert from 'node:assert/strict';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { isNotFound } from '../../client/api-error.ts';
import { type CustomResourceDefinition, customResourceDefinitions } from '../../client/built-in.ts';
import type { NewObject } from '../../client/client.ts';
import type { Resource } from '../../client/resource.ts';
import type { KubeObject } from '../../object.ts';
import { deleteDefinition } from '../delete-definition.ts';
import { type Bench, uniqueName } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';

interface Thing extends KubeObject {
  spec: { colour: string };
}

interface CreatedDefinition {
  readonly definition: CustomResourceDefinition;
  readonly old: Resource<Thing>;
  readonly current: Resource<Thing>;
}

/** Definition for one test, with two versions and one schema. */
const newDefinition = (group: string, colours: string[]): NewObject<CustomResourceDefinition> => {
  const colour = { type: 'string', enum: colours };
  const properties = { spec: { type: 'object', properties: { colour } } };
  const version = { served: true, schema: { openAPIV3Schema: { type: 'object', properties } } };
  return {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' },
      versions: [
        { ...version, name: 'v1alpha1', storage: false },
        { ...version, name: 'v1', storage: true },
      ],
    },
  };
};

export function definitionContract(bench: Bench): void {
  async function make(): Promise<CreatedDefinition> {
    const group = `${uniqueName('g')}.test`;
    const definition = await bench.client.create(customResourceDefinitions, newDefinition(group, ['red', 'blue']));
    const shared = { group, kind: 'Thing', plural: 'things', scope: 'Cluster' } as const;
    const made = { definition, old: { ...shared, version: 'v1alpha1' }, current: { ...shared, version: 'v1' } };
    await eventually(() => bench.client.list(made.current), { what: 'the new kind to be served' });
    return made;
  }

  test('a custom resource is served until its CRD is deleted', async () => {
    const { definition, current } = await make();
    await bench.client.create(current, { metadata: { name: 'a' }, spec: { colour: 'red' } });
    await deleteDefinition(bench.client, definition.metadata.name);
    const absent = async (): Promise<boolean> => bench.client.list(current).then(() => false, isNotFound);
    await eventually(absent, { deadline: seconds(20), what: 'the kind to be served no longer' });
  });

  test('all versions of a custom resource show the same objects', async () => {
    const { old, current } = await make();
    const created = await bench.client.create(old, { metadata: { name: 'a' }, spec: { colour: 'red' } });
    assert.equal(created.apiVersion, `${old.group}/v1alpha1`);
    const read = await bench.client.get(current, { name: 'a' });
    assert.equal(read.apiVersion, `${old.group}/v1`);
    assert.equal(read.metadata.uid, created.metadata.uid);
    assert.deepEqual(read.spec, created.spec);
    await refused(bench.client.create(current, { metadata: { name: 'a' }, spec: { colour: 'red' } }), { code: 409 });
  });

  test('a value that a stricter CRD schema forbids stays until it is changed', async () => {
    const { definition, current } = await make();
    const key = { name: 'a' };
    await bench.client.create(current, { metadata: key, spec: { colour: 'red' } });
    const { versions } = newDefinition(current.group, ['blue']).spec;
    const name = definition.metadata.name;
    await bench.client.patch(customResourceDefinitions, { name }, { type: 'merge', body: { spec: { versions } } });
    const tryRed = { metadata: { generateName: 'b-' }, spec: { colour: 'red' } };
    await eventually(
      () => refused(bench.client.create(current, tryRed, { dryRun: true }), { code: 422 }).then(() => true),
      { what: 'the stricter schema to be in force' },
    );
    const labelled = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
    assert.deepEqual((await bench.client.patch(current, key, labelled)).spec, { colour: 'red' });
    const green = { type: 'merge', body: { spec: { colour: 'green' } } } as const;
    await refused(bench.client.patch(current, key, green), {
      code: 422,
      causes: ['spec.colour: FieldValueNotSupported'],
    });
  });

  test('the name of a CRD must match its resource', async () => {
    const group = `${uniqueName('g')}.test`;
    const wrong = { ...newDefinition(group, ['red']), metadata: { name: `others.${group}` } };
    await refused(bench.client.create(customResourceDefinitions, wrong), {
      code: 422,
      causes: ['metadata.name: FieldValueInvalid'],
    });
  });
}

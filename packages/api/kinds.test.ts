import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderCrds } from './generate-crds.ts';
import { kinds } from './kinds.ts';
import { clusterApi } from './names.ts';
import { contractPlural } from './schema/crd.ts';
import type { Kind } from './schema/define-kind.ts';
import { lintStructural } from './schema/lint-structural.ts';
import type { OpenApi } from './schema/open-api.ts';
import { isChangeRule, type RuleTransition } from './schema/rule.ts';
import { changedExample, exampleWith, rulesIn } from './testing/rule-table.ts';

/** Kinds that Cluster API finds by reference. */
const ofClusterApi = kinds.filter(kind => kind.resource.group.endsWith('cluster.x-k8s.io'));

for (const kind of kinds) {
  const name = kind.resource.kind;

  test(`${name} is a structural schema with bounds and descriptions`, () => {
    assert.deepEqual(lintStructural(withoutMetadata(schemaOf(kind))), []);
  });

  test(`${name} has the plural that Cluster API computes`, () => {
    assert.equal(kind.resource.plural, contractPlural(name));
    assert.equal(kind.crd().metadata.name, `${kind.resource.plural}.${kind.resource.group}`);
  });

  test(`${name} has a status subresource and a short name`, () => {
    const { names, versions } = kind.crd().spec;
    assert.deepEqual(versions[0]?.subresources.status, {});
    assert.ok(names.shortNames.length > 0);
  });

  test(`${name}: the example is valid`, () => {
    assert.deepEqual(kind.validate(exampleWith(kind, ['metadata'], kind.example.metadata)).problems, []);
  });

  test(`${name}: every reason is one CamelCase word with a sentence`, () => {
    for (const [condition, { meaning, reasons }] of Object.entries(kind.conditions)) {
      assert.match(meaning, /^[A-Z].*\.$/, condition);
      assert.ok(Object.keys(reasons).length > 1, `${condition} has one reason only`);
      for (const [reason, sentence] of Object.entries(reasons)) {
        assert.match(reason, /^[A-Z][A-Za-z]+$/, reason);
        assert.match(sentence, /^\S.{10,}\.$/, reason);
      }
    }
  });

  test(`${name}: every rule says its sentence in TypeScript too, and its examples agree`, () => {
    for (const { path, rule } of rulesIn(kind.schema)) {
      assert.ok(rule.accepts.length > 0 && rule.rejects.length > 0, `${rule.cel} has examples of both`);
      assert.ok(!path.includes('*'), `${rule.cel} is below a list, which the tables of examples do not cover`);
      // One rule accepts the example; another rule of the same kind may still reject it.
      const problems = (example: unknown) => problemsOf(kind, path, { example, change: isChangeRule(rule) });
      for (const example of rule.accepts) assert.ok(!problems(example).includes(rule.message), rule.cel);
      for (const example of rule.rejects) assert.ok(problems(example).includes(rule.message), rule.cel);
    }
  });
}

for (const kind of ofClusterApi) {
  test(`${kind.resource.kind} is in the category cluster-api`, () => {
    assert.deepEqual(kind.crd().spec.names.categories, [clusterApi.category]);
  });
}

for (const kind of ofClusterApi) {
  test(`${kind.resource.kind} carries the contract label and is namespaced, or core cannot find it`, () => {
    const { metadata, spec } = kind.crd();
    assert.equal(metadata.labels['cluster.x-k8s.io/v1beta2'], 'v1alpha1');
    assert.equal(spec.scope, 'Namespaced');
  });
}

test('I36 no field that Cluster API clones is required, at any depth', () => {
  const machine = kinds.find(kind => kind.resource.kind === 'ScalewayAppleSiliconMachine');
  const template = kinds.find(kind => kind.resource.kind === 'ScalewayAppleSiliconMachineTemplate');
  assert.ok(machine && template);
  const cloned = schemaOf(template).properties?.['spec']?.properties?.['template']?.properties?.['spec'];
  assert.deepEqual(requiredIn(schemaOf(machine).properties?.['spec'], 'spec'), []);
  assert.deepEqual(requiredIn(cloned, 'spec.template.spec'), []);
  assert.equal(schemaOf(machine).required, undefined);
});

test('the CRDs are rendered alike each time, one file a kind, with a warning on top', () => {
  const files = renderCrds();
  assert.deepEqual([...files], [...renderCrds()]);
  assert.equal(files.size, kinds.length);
  for (const [file, yaml] of files) {
    assert.match(file, /^[a-z]+\.((infrastructure|controlplane)\.cluster\.x-k8s\.io|tuist\.dev|minifleet\.dev)\.yaml$/);
    assert.match(yaml, /^# Generated from packages\/api by npm run generate\. Do not edit\.\n/);
    assert.doesNotMatch(yaml, /[&*]a\d+\b/, 'YAML aliases would hide what is written');
  }
});

function schemaOf(kind: Kind): OpenApi {
  const schema = kind.crd().spec.versions[0]?.schema.openAPIV3Schema;
  assert.ok(schema);
  return schema;
}

/** A CRD may not describe metadata, so the lint must not ask it to. */
function withoutMetadata(schema: OpenApi): OpenApi {
  const { metadata: _metadata, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}

function requiredIn(schema: OpenApi | undefined, path: string): readonly string[] {
  const here = (schema?.required ?? []).map(name => `${path}.${name}`);
  const inner = Object.entries(schema?.properties ?? {}).flatMap(([name, child]) =>
    requiredIn(child, `${path}.${name}`),
  );
  return [...here, ...inner, ...(schema?.items ? requiredIn(schema.items, `${path}[]`) : [])];
}

function problemsOf(
  kind: Kind,
  path: readonly string[],
  { example, change }: { example: unknown; change: boolean },
): readonly string[] {
  const { before, after } = change
    ? changedExample(kind, path, example as RuleTransition)
    : { before: undefined, after: exampleWith(kind, path, example) };
  return kind.validate(after, before).problems.map(({ message }) => message);
}

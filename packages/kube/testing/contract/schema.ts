import assert from 'node:assert/strict';
import { customResourceDefinitions } from '../../client/built-in.ts';
import type { Bench } from './bench.ts';
import { refused } from './refused.ts';
import { test } from './test.ts';
import { type Widget, widgets } from './widgets.ts';

type Spec = NonNullable<Widget['spec']>;

/** Each invalid spec with the causes that a server must return and the message of the first cause. */
const broken: Record<string, { spec: Spec; causes: string[]; message: string }> = {
  'a required field is missing': {
    spec: { size: undefined },
    causes: ['spec.size: FieldValueRequired'],
    message: 'spec.size: Required value',
  },
  'a value is not in the enum': {
    spec: { size: 'huge' },
    causes: ['spec.size: FieldValueNotSupported'],
    message: 'spec.size: Unsupported value: "huge": supported values: "small", "medium"',
  },
  'a number is text': {
    spec: { count: 'three' },
    causes: ['spec.count: FieldValueTypeInvalid'],
    message: 'spec.count: Invalid value: "string": spec.count in body must be of type integer: "string"',
  },
  'an integer has a fraction': {
    spec: { count: 1.5 },
    causes: ['spec.count: FieldValueTypeInvalid', '<nil>: FieldValueInvalid'],
    message:
      '[spec.count: Invalid value: "number": spec.count in body must be of type integer: "number", <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.count]',
  },
  'a number is too small': {
    spec: { count: 0 },
    causes: ['spec.count: FieldValueInvalid'],
    message: 'spec.count: Invalid value: 0: spec.count in body should be greater than or equal to 1',
  },
  'a number is too large': {
    spec: { count: 10 },
    causes: ['spec.count: FieldValueInvalid'],
    message: 'spec.count: Invalid value: 10: spec.count in body should be less than or equal to 9',
  },
  'a number is no multiple': {
    spec: { ratio: 0.3 },
    causes: ['spec.ratio: FieldValueInvalid'],
    message: 'spec.ratio: Invalid value: 0.3: spec.ratio in body should be a multiple of 0.5',
  },
  'a text does not match the pattern': {
    spec: { title: 'ABC' },
    causes: ['spec.title: FieldValueInvalid'],
    message: `spec.title: Invalid value: "ABC": spec.title in body should match '^[a-z]+$'`,
  },
  'a text is too short': {
    spec: { title: 'a' },
    causes: ['spec.title: FieldValueInvalid'],
    message: 'spec.title: Invalid value: "a": spec.title in body should be at least 2 chars long',
  },
  'a text is too long': {
    spec: { title: 'abcdef' },
    causes: ['spec.title: FieldValueTooLong'],
    message: 'spec.title: Too long: may not be more than 5 bytes',
  },
  'a text is no time': {
    spec: { stamp: 'yesterday' },
    causes: ['spec.stamp: FieldValueTypeInvalid'],
    message: 'spec.stamp: Invalid value: "yesterday": spec.stamp in body must be of type date-time: "yesterday"',
  },
  'a set holds a value twice': {
    spec: { tags: ['a', 'a'] },
    causes: ['spec.tags[1]: FieldValueDuplicate'],
    message: 'spec.tags[1]: Duplicate value: "a"',
  },
  'a list has too few items': {
    spec: { tags: [] },
    causes: ['spec.tags: FieldValueInvalid'],
    message: 'spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items',
  },
  'a list has too many items': {
    spec: { tags: ['a', 'b', 'c', 'd'] },
    causes: ['spec.tags: FieldValueTooMany'],
    message: 'spec.tags: Too many: 4: must have at most 3 items',
  },
  'two items of a list have the same key': {
    spec: { ports: [{ port: 1 }, { port: 1 }] },
    causes: ['spec.ports[1]: FieldValueDuplicate'],
    message: 'spec.ports[1]: Duplicate value: {"port":1}',
  },
  'an item of a list lacks its key': {
    spec: { ports: [{ name: 'x' }] },
    causes: ['spec.ports[0].port: FieldValueRequired'],
    message: 'spec.ports[0].port: Required value',
  },
  'a map has too many entries': {
    spec: { limits: { a: '1', b: '2', c: '3' } },
    causes: ['spec.limits: FieldValueTooMany'],
    message: 'spec.limits: Too many: 3: must have at most 2 items',
  },
  'a value of a map has the wrong type': {
    spec: { limits: { a: 1 } },
    causes: ['spec.limits.a: FieldValueTypeInvalid'],
    message: 'spec.limits.a: Invalid value: "integer": spec.limits.a in body must be of type string: "integer"',
  },
  'a value is neither integer nor text': {
    spec: { either: 1.5 },
    causes: ['spec.either: FieldValueTypeInvalid'],
    message: 'spec.either: Invalid value: "number": spec.either in body must be of type integer,string: "number"',
  },
};

export function schemaContract(bench: Bench): void {
  for (const [what, { spec, causes, message }] of Object.entries(broken)) {
    test(`an object is Invalid when ${what}`, async () => {
      const namespace = await bench.namespace();
      await refused(bench.createWidget(namespace, 'a', { spec: { size: 'small', ...spec } }), {
        code: 422,
        reason: 'Invalid',
        causes,
        message: `Widget.contract.minifleet.dev "a" is invalid: ${message}`,
      });
      assert.equal(await bench.client.find(widgets, { namespace, name: 'a' }), undefined);
    });
  }

  test('all schema violations of an object are reported at once', async () => {
    const namespace = await bench.namespace();
    await refused(bench.createWidget(namespace, 'a', { spec: { size: 'huge', count: 0 } }), {
      code: 422,
      causes: ['spec.size: FieldValueNotSupported', 'spec.count: FieldValueInvalid'],
      message: /^Widget\.contract\.minifleet\.dev "a" is invalid: \[spec\./,
    });
  });

  test('schema defaults are set, also inside an empty object', async () => {
    const { spec } = await bench.createWidget(await bench.namespace(), 'a', { spec: { size: 'small', nested: {} } });
    assert.deepEqual(spec, { size: 'small', count: 3, nested: { shade: 'dark' } });
  });

  test('null counts as absent unless the schema is nullable', async () => {
    const spec = { size: 'small', count: null, title: null, note: null, limits: { a: null } };
    const created = await bench.createWidget(await bench.namespace(), 'a', { spec });
    assert.deepEqual(created.spec, { size: 'small', count: 3, note: null, limits: {} });
  });

  test('an int-or-string field accepts an integer and a string', async () => {
    const namespace = await bench.namespace();
    assert.equal((await bench.createWidget(namespace, 'a', { spec: { size: 'small', either: 1 } })).spec?.either, 1);
    assert.equal(
      (await bench.createWidget(namespace, 'b', { spec: { size: 'small', either: '5%' } })).spec?.either,
      '5%',
    );
  });

  test('unknown fields are dropped unless the schema preserves them', async () => {
    const spec = { size: 'small', unknown: 1, free: { any: { thing: [1] } }, nested: { other: 1 } } as Spec;
    const created = await bench.createWidget(await bench.namespace(), 'a', { spec, more: true } as Partial<Widget>);
    assert.deepEqual(created.spec, {
      size: 'small',
      count: 3,
      free: { any: { thing: [1] } },
      nested: { shade: 'dark' },
    });
    assert.equal('more' in created, false);
  });

  test('a strict request with unknown fields is a BadRequest that names them', async () => {
    const namespace = await bench.namespace();
    const spec = { size: 'small', unknown: 1, nested: { other: 1 } } as Spec;
    const object = { metadata: { name: 'a', namespace }, spec, more: true };
    await refused(bench.client.create(widgets, object, { fieldValidation: 'Strict' }), {
      code: 400,
      reason: 'BadRequest',
      message:
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "more", unknown field "spec.nested.other", unknown field "spec.unknown"',
    });
  });

  test('a strict patch with unknown fields is Invalid', async () => {
    const namespace = await bench.namespace();
    await bench.createWidget(namespace, 'a');
    const patch = { type: 'merge', body: { spec: { unknown: 1 } } } as const;
    await refused(bench.client.patch(widgets, { namespace, name: 'a' }, patch, { fieldValidation: 'Strict' }), {
      code: 422,
      reason: 'Invalid',
      message: /strict decoding error: unknown field "spec\.unknown"/,
    });
  });

  test('a CRD reports the conditions NamesAccepted and Established', async () => {
    const definition = await bench.client.get(customResourceDefinitions, { name: 'widgets.contract.minifleet.dev' });
    const conditions = definition.status?.conditions?.map(({ type, status }) => `${type}=${status}`);
    assert.deepEqual(conditions?.sort(), ['Established=True', 'NamesAccepted=True']);
    assert.deepEqual(definition.status?.storedVersions, ['v1']);
    assert.equal(definition.status?.acceptedNames?.kind, 'Widget');
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '@minifleet/secret';
import { type Chance, createChance } from '@minifleet/world';
import type { Artifact } from '../host.ts';
import { fingerprintOf } from './plan.ts';

const of = (want: unknown): string => fingerprintOf({ id: 'a-step', identity: want });

const artifact = (sha256: string, name = 'a program'): Artifact => ({
  name,
  sha256,
  async *open() {
    yield Buffer.alloc(0);
  },
});

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

function anything(chance: Chance, depth = 3): Json {
  const kind = chance.integer(depth > 0 ? 6 : 4);
  if (kind === 0) return chance.hex(1 + chance.integer(6));
  if (kind === 1) return chance.integer(1_000) / 4;
  if (kind === 2) return chance.next() < 0.5;
  if (kind === 3) return null;
  const items = Array.from({ length: chance.integer(4) }, () => anything(chance, depth - 1));
  return kind === 4 ? items : Object.fromEntries(items.map((item, index) => [`${chance.hex(3)}${index}`, item]));
}

/** The same with one leaf changed, for every leaf. */
function* changed(value: Json): Generator<Json> {
  if (value === null || typeof value !== 'object') yield [value, 'changed'];
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) for (const other of changed(item)) yield value.with(index, other);
  else
    for (const [key, item] of Object.entries(value))
      for (const other of changed(item)) yield Object.assign({}, value, { [key]: other });
}

const reversed = (value: Json): Json => {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
};

test('every changed value changes the fingerprint, the order of keys does not', () => {
  const chance = createChance('fingerprints');
  let leaves = 0;
  for (let round = 0; round < 1_000; round++) {
    const want = anything(chance);
    assert.equal(of(reversed(want)), of(want));
    for (const other of changed(want)) {
      leaves += 1;
      assert.notEqual(of(other), of(want), `${JSON.stringify(want)} and ${JSON.stringify(other)}`);
    }
  }
  assert.ok(leaves > 500, `${leaves}`);
});

test('list order changes the fingerprint, undefined does not, and null differs from absent', () => {
  assert.notEqual(of([1, 2]), of([2, 1]));
  assert.equal(of({ a: 1, b: undefined }), of({ a: 1 }));
  assert.notEqual(of({ a: 1, b: null }), of({ a: 1 }));
  assert.notEqual(of({ a: '1' }), of({ a: 1 }));
  assert.equal(of(undefined), of(null));
});

test('a secret does not change the fingerprint, whether set or not', () => {
  const with_ = (value: string): string => of({ user: 'm1', password: new Secret('password', value) });
  assert.equal(with_('one'), with_('another'));
  assert.equal(with_('one'), of({ user: 'm1' }));
  assert.notEqual(with_('one'), of({ user: 'm1', password: '[password]' }));
});

test('an artifact changes the fingerprint by its hash, not by its name', () => {
  assert.equal(of({ binary: artifact('ab') }), of({ binary: artifact('ab', 'another name') }));
  assert.notEqual(of({ binary: artifact('ab') }), of({ binary: artifact('cd') }));
  assert.notEqual(of({ binary: artifact('ab') }), of({ binary: 'ab' }));
  assert.notEqual(of(Buffer.from('one')), of(Buffer.from('two')));
});

test('the step id changes the fingerprint', () => {
  assert.notEqual(fingerprintOf({ id: 'one', identity: 1 }), fingerprintOf({ id: 'two', identity: 1 }));
});

test('a step value that is not plain data is rejected with its path', () => {
  const refused: readonly [unknown, RegExp][] = [
    [{ rules: [{ on: new Map() }] }, /^TypeError: a-step\.rules\[0\]\.on cannot be fingerprinted/],
    [{ run: () => 1 }, /a-step\.run/],
    [{ at: new Date(0) }, /a-step\.at/],
    [[Number.NaN], /a-step\[0\]/],
    [1n, /a-step /],
  ];
  for (const [want, words] of refused) assert.throws(() => of(want), words);
});

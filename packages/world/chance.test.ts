import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChance } from './chance.ts';

const draws = (seed: string): number[] => {
  const chance = createChance(seed);
  return Array.from({ length: 5 }, () => chance.next());
};

test('the same seed gives the same chance, another seed another', () => {
  assert.deepEqual(draws('one'), draws('one'));
  assert.notDeepEqual(draws('one'), draws('two'));
});

test('a stream depends on the seed and its name alone, not on what was drawn before', () => {
  const early = createChance('seed');
  const late = createChance('seed');
  late.next();
  assert.equal(early.stream('mac-1').uuid(), late.stream('mac-1').uuid());
  assert.notEqual(early.stream('mac-1').next(), early.stream('mac-2').next());
});

test('a uuid looks like one', () => {
  assert.match(createChance('x').uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
});

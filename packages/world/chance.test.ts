import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChance } from './chance.ts';

const draws = (seed: string): number[] => {
  const chance = createChance(seed);
  return Array.from({ length: 5 }, () => chance.next());
};

test('random numbers: the same seed gives the same sequence, another seed another', () => {
  assert.deepEqual(draws('one'), draws('one'));
  assert.notDeepEqual(draws('one'), draws('two'));
});

test('random numbers: a stream depends only on the seed and its name, not on earlier draws', () => {
  const early = createChance('seed');
  const late = createChance('seed');
  late.next();
  assert.equal(early.stream('mac-1').uuid(), late.stream('mac-1').uuid());
  assert.notEqual(early.stream('mac-1').next(), early.stream('mac-2').next());
});

test('random numbers: a uuid has the format of version 4', () => {
  assert.match(createChance('x').uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
});

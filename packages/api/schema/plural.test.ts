import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contractPlural } from './crd.ts';

test('the plural is the one that flect 1.0.3 was seen to give', () => {
  assert.equal(contractPlural('ScalewayAppleSiliconMachineTemplate'), 'scalewayapplesiliconmachinetemplates');
  assert.equal(contractPlural('RunnerPool'), 'runnerpools');
  assert.equal(contractPlural('MacHost'), 'machosts');
});

test('an ending that was never checked is refused instead of guessed', () => {
  assert.throws(() => contractPlural('HostPolicy'), /check flect\.Pluralize\("hostpolicy"\)/);
});

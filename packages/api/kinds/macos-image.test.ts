import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseImage, isOfFamily, type OfferedImage } from './macos-image.ts';

const catalogue: readonly OfferedImage[] = [
  { name: 'macos-sequoia-15.6', family: 'Sequoia' },
  { name: 'macos-tahoe-26.5', family: 'Tahoe' },
  { name: 'macos-tahoe-26.10', family: 'Tahoe' },
  { name: 'macos-tahoe-26.11', family: 'Tahoe', beta: true },
  { name: 'devos-tahoe-26.12', family: 'DevOS' },
];

test('an exact image that is offered is used as it is', () => {
  const choice = chooseImage('macos-tahoe-26.5', catalogue);
  assert.equal(choice.image?.name, 'macos-tahoe-26.5');
  assert.equal(choice.fellBackToFamily, false);
});

test('I31 a retired exact image falls back to its family and reports it', () => {
  const choice = chooseImage('macos-tahoe-26.3', catalogue);
  assert.equal(choice.image?.name, 'macos-tahoe-26.10');
  assert.equal(choice.fellBackToFamily, true);
  assert.match(choice.sentence, /macos-tahoe-26\.3 is no longer offered .* using macos-tahoe-26\.10/);
  assert.match(choice.sentence, /Set os: Tahoe/);
});

test('a family takes its newest finished image, which is no fall-back', () => {
  const choice = chooseImage('Tahoe', catalogue);
  assert.equal(choice.image?.name, 'macos-tahoe-26.10');
  assert.equal(choice.fellBackToFamily, false);
});

test('a beta is taken when the family has nothing else', () => {
  const choice = chooseImage('Golden Gate', [{ name: 'macos-golden-gate-27.0-beta2' }]);
  assert.equal(choice.image?.name, 'macos-golden-gate-27.0-beta2');
});

test('a family that is not offered gives no image and lists what is', () => {
  const choice = chooseImage('Ventura', catalogue);
  assert.equal(choice.image, undefined);
  assert.match(choice.sentence, /no image of family Ventura; it offers Devostahoe, Sequoia, Tahoe/);
});

test('an empty image catalogue is reported', () => {
  assert.match(chooseImage('Tahoe', []).sentence, /nothing for this server type/);
});

test('a development image is not of the family that its name ends with', () => {
  assert.equal(isOfFamily({ name: 'devos-tahoe-26.3' }, 'Tahoe'), false);
});

test('the family of the vendor counts when the name says nothing', () => {
  assert.equal(isOfFamily({ name: 'custom-7', family: 'Tahoe' }, 'macos-tahoe-26.3'), true);
});

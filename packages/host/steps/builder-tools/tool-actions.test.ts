import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOlder, readKegs, readOffered, toolActions } from './formulae.ts';

const packer = { name: 'hashicorp/tap/packer', version: '1.15.0', pinned: true };
const crane = { name: 'crane', pinned: false };

const kegs = (versions: string, pinned = '', record = '') => readKegs({ versions, pinned, record });
const words = (...given: Parameters<typeof toolActions>) => toolActions(...given).map(one => one.words);

test('a missing tool is installed, then pinned', () => {
  assert.deepEqual(
    toolActions(kegs(''), [packer, crane]).map(({ action, formula }) => [action, formula]),
    [
      ['install', 'hashicorp/tap/packer'],
      ['install', 'crane'],
      ['pin', 'packer'],
    ],
  );
});

test('a tool in sync needs no action, whatever its bottle revision', () => {
  assert.deepEqual(toolActions(kegs('crane 0.20.6\npacker 1.15.0\n', 'packer\n'), [packer, crane]), []);
  assert.deepEqual(toolActions(kegs('packer 1.15.0_1\n', 'packer\n'), [packer]), []);
});

test('a later version than the minimum is in sync, and only an older one is upgraded', () => {
  assert.deepEqual(toolActions(kegs('packer 1.16.0\n', 'packer\n'), [packer]), []);
  assert.deepEqual(toolActions(kegs('packer 1.9.5 1.15.0\n', 'packer\n'), [packer]), []);
  assert.deepEqual(toolActions(kegs('packer 1.9.5\n', 'packer\n'), [packer]), [
    { action: 'upgrade', formula: 'hashicorp/tap/packer', words: 'packer is 1.9.5, expected 1.15.0 or later' },
    { action: 'pin', formula: 'packer', words: 'packer is not pinned, so the next brew upgrade replaces it' },
  ]);
});

test('I26 a pinned tool that another process replaced is reported once and kept', () => {
  const ours = 'installed packer\npinned packer\nversion packer 1.15.0\n';
  assert.deepEqual(toolActions(kegs('packer 1.15.0\n', 'packer\n', ours), [packer]), []);
  const lost =
    'packer 1.15.0 was replaced by 1.15.2, which has no Local Network permission that was clicked for 1.15.0';
  for (const pinned of ['', 'packer\n'])
    assert.deepEqual(toolActions(kegs('packer 1.15.0 1.15.2\n', pinned, ours), [packer]), [
      { action: 'keep', formula: 'packer', words: lost },
    ]);
  const interrupted = 'installed packer\npinned packer\n';
  assert.deepEqual(words(kegs('packer 1.15.0\n', 'packer\n', interrupted), [packer]), [
    'the pinned version of packer is not recorded',
  ]);
});

test('an extra pin is removed, and an obsolete tool is uninstalled', () => {
  const found = kegs('crane 0.20.6\noras 1.3.0\nwget 1.25\n', 'crane\n', 'installed oras\ninstalled jq\n');
  assert.deepEqual(words(found, [crane]), [
    'crane is pinned, expected unpinned',
    'oras is installed but no longer required',
  ]);
});

test('offered versions are parsed from the brew JSON', () => {
  const json = '{"formulae":[{"name":"packer","versions":{"stable":"1.15.2","head":null}}],"casks":[]}';
  assert.deepEqual([...readOffered(json)], [['packer', '1.15.2']]);
});

test('versions are compared by their numbers', () => {
  const order = ['1.9.5', '1.15', '1.15.0_1', '1.15.2', '2.0'];
  for (const [index, version] of order.entries())
    assert.deepEqual(
      order.map(other => isOlder(version, other)),
      order.map((_, at) => index < at),
    );
  assert.equal(isOlder('1.15', '1.15.0'), false);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isVersion, readKegs, readOffered, toolActions } from './formulae.ts';

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

test('I26 a pinned tool at another version is reported as having lost its permission', () => {
  assert.deepEqual(words(kegs('packer 1.15.2\n'), [packer]), [
    'packer 1.15.0 was replaced by 1.15.2 and lost its Local Network permission',
    'packer is not pinned, so the next brew upgrade replaces it',
  ]);
  assert.match(words(kegs('packer 1.15.0 1.15.2\n', 'packer\n'), [packer])[0] ?? '', /was replaced by 1\.15\.2/);
  assert.deepEqual(words(kegs('packer 1.9.5\n', 'packer'), [packer])[0], 'packer is 1.9.5, expected 1.15.0');
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
  assert.equal(isVersion('1.15.2', '1.15'), false);
});

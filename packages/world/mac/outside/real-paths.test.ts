import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realPaths } from './real-folder.ts';

const { toReal, toMac } = realPaths('/tmp/mac-1');

for (const [word, real] of [
  ['--kubeconfig=/etc/tart-kubelet/kubeconfig', '--kubeconfig=/tmp/mac-1/etc/tart-kubelet/kubeconfig'],
  ['/usr/local/bin:/usr/bin:/bin', '/tmp/mac-1/usr/local/bin:/tmp/mac-1/usr/bin:/tmp/mac-1/bin'],
  ['/var', '/tmp/mac-1/var'],
  ['/', '/tmp/mac-1'],
  ['--provider-id=scw-applesilicon://fr-par-1/4a6d', '--provider-id=scw-applesilicon://fr-par-1/4a6d'],
  ['--server=https://etc/var', '--server=https://etc/var'],
  ['--node-labels=tuist.dev/fleet=runners', '--node-labels=tuist.dev/fleet=runners'],
  ['/variable', '/variable'],
] as const)
  test(`${word} ${real === word ? 'is not mapped to the real folder' : 'is mapped to the real folder and back'}`, () => {
    assert.equal(toReal(word), real);
    assert.equal(toMac(real), word);
  });

test('a real folder whose socket paths would be too long is rejected', () => {
  assert.throws(() => realPaths(`/tmp/${'long'.repeat(9)}`), /at most 32 characters/);
});

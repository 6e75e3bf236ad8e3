import assert from 'node:assert/strict';
import { test } from 'node:test';
import { halfDeletedBundles, strayLogFolders, strayPodFolders } from './remove-leftovers.ts';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';

test('a bundle is a leftover only if it is owned, not listed and not recorded', () => {
  const folders = [`pod-${A}-0`, `pod-${A}-1`, `pod-${B}-0`, 'tuist-runner', 'pod-x-0'];
  const seen = { folders, listed: new Set([`pod-${A}-1`]), recorded: new Set([`pod-${B}-0`]) };
  assert.deepEqual(halfDeletedBundles(seen), [`pod-${A}-0`]);
});

test('Pod folders without a Pod or guest are removed; other folders stay', () => {
  const known = new Set([B]);
  assert.deepEqual(strayPodFolders([A, B, '..', 'lost+found', `${A}.bak`], known), [A]);
  const logs = [`default_web_${A}`, `default_web_${B}`, `web_${A}`, `a_b_c_${A}`, 'system.log'];
  assert.deepEqual(strayLogFolders(logs, known), [`default_web_${A}`]);
});

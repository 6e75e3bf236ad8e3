import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentKey } from './cached-agent.ts';
import { findPlatform, platforms } from './platform.ts';

test('agents of two platforms have different cache keys for the same code', () => {
  const keys = platforms.map(platform => agentKey(platform, '26.10.0', 'code'));
  assert.equal(new Set(keys).size, platforms.length);
});

test('the cache key of an agent changes with its code and its Node version only', () => {
  const mac = findPlatform('darwin-arm64');
  assert.equal(agentKey(mac, '26.10.0', 'code'), agentKey(mac, '26.10.0', 'code'));
  assert.notEqual(agentKey(mac, '26.10.0', 'code'), agentKey(mac, '26.10.0', 'other code'));
  assert.notEqual(agentKey(mac, '26.10.0', 'code'), agentKey(mac, '26.11.0', 'code'));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentKey } from './cached-agent.ts';
import { findPlatform, platforms } from './platform.ts';

test('the agent of one platform is not taken for that of another, though both are of the same code', () => {
  const keys = platforms.map(platform => agentKey(platform, '26.10.0', 'code'));
  assert.equal(new Set(keys).size, platforms.length);
});

test('other code and another Node give another agent, and the same give the same', () => {
  const mac = findPlatform('darwin-arm64');
  assert.equal(agentKey(mac, '26.10.0', 'code'), agentKey(mac, '26.10.0', 'code'));
  assert.notEqual(agentKey(mac, '26.10.0', 'code'), agentKey(mac, '26.10.0', 'other code'));
  assert.notEqual(agentKey(mac, '26.10.0', 'code'), agentKey(mac, '26.11.0', 'code'));
});

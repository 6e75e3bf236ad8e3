import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUnmanagedServers, parseUnmanagedServers, UNMANAGED_SERVERS_KEY } from './unmanaged-servers.ts';

const since = '2026-11-16T10:00:00Z';
const lost = { zone: 'fr-par-1', id: 'b', name: 'test-mac', type: 'M2-L', since };
const other = { zone: 'fr-par-1', id: 'a', name: 'old-mac', since };

test('a list of unmanaged servers is read as it was written, sorted by zone and id', () => {
  assert.deepEqual(parseUnmanagedServers(formatUnmanagedServers([lost, other])), [other, lost]);
  assert.deepEqual(formatUnmanagedServers([lost, other]), formatUnmanagedServers([other, lost]));
});

test('a ConfigMap without a readable list of unmanaged servers is an empty list', () => {
  assert.deepEqual(parseUnmanagedServers(undefined), []);
  assert.deepEqual(parseUnmanagedServers({ [UNMANAGED_SERVERS_KEY]: 'not JSON' }), []);
  assert.deepEqual(parseUnmanagedServers({ [UNMANAGED_SERVERS_KEY]: '{}' }), []);
});

test('an entry of another form in the list of unmanaged servers is left out', () => {
  const data = { [UNMANAGED_SERVERS_KEY]: JSON.stringify([{ serverID: 'c' }, other]) };
  assert.deepEqual(parseUnmanagedServers(data), [other]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { expectedPermissions, readRbacManifests } from '../expected-permissions.ts';
import { checkPermissions, installNamespaces } from './check-permissions.ts';

const nothing = { items: [] };
const snapshot = {
  accounts: { items: [{ metadata: { namespace: 'macs', name: 'minifleet-provider' } }] },
  machines: { items: [{ metadata: { namespace: 'team-a', name: 'mac-1' } }] },
  controlPlanes: nothing,
  pools: { items: [{ metadata: { namespace: 'team-b', name: 'macos-26' } }] },
} as unknown as ClusterSnapshot;

test('permissions are checked in the namespaces of this installation', async () => {
  const namespaces = installNamespaces(snapshot);
  assert.deepEqual(namespaces, { system: 'macs', fleets: ['team-a'], pools: ['team-b'] });
  const permissions = expectedPermissions(await readRbacManifests(), namespaces);
  const namespacesOf = (account: string, what: string): string[] =>
    permissions
      .filter(permission => permission.account === account && `${permission.verb} ${permission.resource}` === what)
      .map(permission => permission.namespace);
  assert.deepEqual(namespacesOf('minifleet-provider', 'update leases'), ['macs']);
  assert.deepEqual(namespacesOf('minifleet-provider', 'patch secrets'), ['macs', 'team-a']);
  assert.deepEqual(namespacesOf('minifleet-runners', 'create pods'), ['team-b']);
  assert.deepEqual(namespacesOf('minifleet-provider', 'list nodes'), ['']);
  assert.deepEqual([...new Set(permissions.map(({ account }) => account))].toSorted(), [
    'capi-remote',
    'minifleet-provider',
    'minifleet-runners',
  ]);
});

test('a missing RoleBinding in a pool namespace is reported with the command to create it', () => {
  const permission = {
    account: 'minifleet-runners',
    verb: 'get',
    group: 'tuist.dev',
    resource: 'runnerpools',
    subresource: '',
    name: '',
    namespace: 'team-b',
  };
  const [row] = checkPermissions(snapshot, { items: [permission] });
  assert.equal(row?.message, 'minifleet-runners is not allowed to get runnerpools.tuist.dev in team-b');
  assert.equal(
    row.fix,
    'kubectl create rolebinding minifleet-runner-pools -n team-b --clusterrole=minifleet-runner-pools --serviceaccount=macs:minifleet-runners',
  );
});

test('a cluster without the programs is reported with the install command', () => {
  const [row] = checkPermissions({ ...snapshot, accounts: nothing }, undefined);
  assert.equal(row?.state, 'problem');
  assert.match(row.fix ?? '', /^helm upgrade --install minifleet /);
});

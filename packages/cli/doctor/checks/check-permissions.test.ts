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
  const places = installNamespaces(snapshot);
  assert.deepEqual(places, { system: 'macs', fleets: ['team-a'], pools: ['team-b'] });
  const rights = expectedPermissions(await readRbacManifests(), places);
  const asked = (account: string, what: string): string[] =>
    rights
      .filter(right => right.account === account && `${right.verb} ${right.resource}` === what)
      .map(right => right.namespace);
  assert.deepEqual(asked('minifleet-provider', 'update leases'), ['macs']);
  assert.deepEqual(asked('minifleet-provider', 'patch secrets'), ['macs', 'team-a']);
  assert.deepEqual(asked('minifleet-runners', 'create pods'), ['team-b']);
  assert.deepEqual(asked('minifleet-provider', 'list nodes'), ['']);
  assert.deepEqual([...new Set(rights.map(({ account }) => account))].toSorted(), [
    'capi-remote',
    'minifleet-provider',
    'minifleet-runners',
  ]);
});

test('a missing RoleBinding in a pool namespace is reported with the command to create it', () => {
  const right = {
    account: 'minifleet-runners',
    verb: 'get',
    group: 'tuist.dev',
    resource: 'runnerpools',
    subresource: '',
    name: '',
    namespace: 'team-b',
  };
  const [row] = checkPermissions(snapshot, { items: [right] });
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

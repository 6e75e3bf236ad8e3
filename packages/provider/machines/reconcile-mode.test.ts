import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { names } from '@minifleet/api';
import type { Cluster, Machine } from '../cluster-api/kinds.ts';
import { type ReconcileMode, reconcileMode } from './machine-scope.ts';
import { scopeOf } from './testing/scope-of.ts';

const { clusterNameLabel, pausedAnnotation, deleteForMoveAnnotation } = names.clusterApi;

interface Case {
  readonly owned: boolean;
  readonly cluster: 'unnamed' | 'gone' | 'there' | 'paused';
  readonly paused: boolean;
  readonly deleting: boolean;
  readonly moved: boolean;
  readonly finalizer: boolean;
}

function modeOf({ owned, cluster, paused, deleting, moved, finalizer }: Case): ReconcileMode {
  const { machine, kind } = scopeOf();
  machine.metadata = {
    name: 'a',
    labels: cluster === 'unnamed' ? {} : { [clusterNameLabel]: 'mac' },
    annotations: { ...(paused && { [pausedAnnotation]: 'false' }), ...(moved && { [deleteForMoveAnnotation]: '' }) },
    finalizers: finalizer ? [kind.finalizer] : ['example.com/other'],
    ...(deleting && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
  };
  const exists = cluster === 'there' || cluster === 'paused';
  return reconcileMode({
    machine,
    kind,
    ownerMachine: owned ? ({} as Machine) : undefined,
    cluster: exists ? ({ spec: { paused: cluster === 'paused' } } as Cluster) : undefined,
  });
}

const both = [false, true];
const cases: readonly Case[] = both.flatMap(owned =>
  (['unnamed', 'gone', 'there', 'paused'] as const).flatMap(cluster =>
    both.flatMap(paused =>
      both.flatMap(deleting =>
        both.flatMap(moved => both.map(finalizer => ({ owned, cluster, paused, deleting, moved, finalizer }))),
      ),
    ),
  ),
);

const rules: readonly (readonly [string, (one: Case) => boolean, ReconcileMode])[] = [
  [
    'a machine of a paused Cluster, or one that is moved, is not changed, not even when it is deleted',
    one => one.cluster === 'paused' || one.moved,
    'hands off',
  ],
  [
    'a deletion without Machine and Cluster is left behind, as after a move',
    one => one.deleting && one.finalizer && !one.owned && one.cluster === 'gone',
    'left behind',
  ],
  ['a deletion proceeds when the machine is paused or has no owner', one => one.deleting && one.finalizer, 'release'],
  ['a deletion that waits for other finalizers is left to them', one => one.deleting, 'released'],
  ['a machine without an owner waits for it', one => !one.owned, 'wait for owner'],
  ['the annotation pauses everything except a deletion', one => one.paused, 'paused'],
  ['every other machine is provisioned', () => true, 'provision'],
];

describe('the mode of a reconcile', () => {
  for (const [index, [name, applies, mode]] of rules.entries()) {
    test(name, () => {
      const matching = cases.filter(one => applies(one) && !rules.slice(0, index).some(([, earlier]) => earlier(one)));
      assert.ok(matching.length > 0);
      for (const one of matching) assert.equal(modeOf(one), mode, JSON.stringify(one));
    });
  }
});

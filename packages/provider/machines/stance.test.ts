import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { names, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import type { Cluster, Machine } from '../cluster-api/kinds.ts';
import { type Stance, stanceOn } from './stance.ts';

const { clusterNameLabel, pausedAnnotation, deleteForMoveAnnotation } = names.clusterApi;

interface Case {
  readonly owned: boolean;
  readonly cluster: 'unnamed' | 'gone' | 'there' | 'paused';
  readonly paused: boolean;
  readonly deleting: boolean;
  readonly moved: boolean;
  readonly finalizer: boolean;
}

function stance({ owned, cluster, paused, deleting, moved, finalizer }: Case): Stance {
  const samm: ScalewayAppleSiliconMachine = scalewayAppleSiliconMachine.withDefaults({
    apiVersion: scalewayAppleSiliconMachine.apiVersion,
    kind: 'ScalewayAppleSiliconMachine',
    metadata: {
      name: 'a',
      labels: cluster === 'unnamed' ? {} : { [clusterNameLabel]: 'mac' },
      annotations: { ...(paused && { [pausedAnnotation]: 'false' }), ...(moved && { [deleteForMoveAnnotation]: '' }) },
      finalizers: finalizer ? [names.finalizers.machine] : ['somebody.else/s'],
      ...(deleting && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    },
  });
  const seen = cluster === 'there' || cluster === 'paused';
  return stanceOn({
    samm,
    machine: owned ? ({} as Machine) : undefined,
    cluster: seen ? ({ spec: { paused: cluster === 'paused' } } as Cluster) : undefined,
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

const rules: readonly (readonly [string, (one: Case) => boolean, Stance])[] = [
  [
    'a paused Cluster or a move means hands off, deletion included',
    one => one.cluster === 'paused' || one.moved,
    'hands off',
  ],
  [
    'a deletion without Machine and Cluster is what a move leaves behind',
    one => one.deleting && one.finalizer && !one.owned && one.cluster === 'gone',
    'left behind',
  ],
  ['a deletion goes on, paused or without its owner', one => one.deleting && one.finalizer, 'release'],
  ['a deletion that others hold up is theirs', one => one.deleting, 'let go'],
  ['nothing begins before core owns it', one => !one.owned, 'wait for owner'],
  ['the annotation pauses all but a deletion', one => one.paused, 'paused'],
  ['else it is driven to its Node', () => true, 'provision'],
];

describe('pause × delete × move × owner', () => {
  for (const [index, [name, applies, wanted]] of rules.entries()) {
    test(name, () => {
      const concerned = cases.filter(one => applies(one) && !rules.slice(0, index).some(([, earlier]) => earlier(one)));
      assert.ok(concerned.length > 0);
      for (const one of concerned) assert.equal(stance(one), wanted, JSON.stringify(one));
    });
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import type { Entity, EntitySnapshot } from './entity.ts';
import { summaryText } from './summary.ts';

const NOW = 1_000_000;

interface EntityFixture {
  readonly lasted?: number;
  readonly kind?: EntitySnapshot['kind'];
}

function entity(
  name: string,
  state: EntitySnapshot['state'],
  { lasted = 0, kind = 'host' }: EntityFixture = {},
): Entity {
  const snapshot: EntitySnapshot = {
    ...{ key: name, kind, namespace: 'fleet', name, aliases: [name], state, phase: '', message: '' },
    ...{ problems: [], served: true, createdAt: 0, changedAt: 0, syncedSteps: [] },
  };
  return { snapshot, wasHealthy: true, printed: [], ...(lasted > 0 ? { unhealthySince: NOW - lasted } : {}) };
}

const unhealthy = (name: string, lasted: number, kind?: EntitySnapshot['kind']): Entity =>
  entity(name, 'unhealthy', { lasted, ...(kind ? { kind } : {}) });

const table: readonly (readonly [readonly Entity[], string])[] = [
  [[], '0 hosts'],
  [[entity('a', 'healthy')], '1 host: 1 healthy'],
  [
    [
      entity('a', 'healthy'),
      unhealthy('b', seconds(12)),
      entity('c', 'starting'),
      entity('p', 'healthy', { kind: 'pool' }),
    ],
    '3 hosts: 1 healthy, 1 starting, 1 unhealthy (b, 12s)',
  ],
  [
    [unhealthy('a', minutes(3)), unhealthy('b', seconds(12)), unhealthy('ci', seconds(5), 'fleet')],
    '2 hosts: 0 healthy, 2 unhealthy (a, 3m; b, 12s); unhealthy: fleet ci, 5s',
  ],
];
for (const [entities, text] of table) {
  test(`watch summary: ${text}`, () => assert.equal(summaryText(entities, NOW), text));
}

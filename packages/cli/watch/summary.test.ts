import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import type { EntitySnapshot } from './entity.ts';
import type { Entity } from './subject.ts';
import { summaryWords } from './summary.ts';

const NOW = 1_000_000;

interface Given {
  readonly lasted?: number;
  readonly kind?: EntitySnapshot['kind'];
}

function subject(name: string, state: EntitySnapshot['state'], { lasted = 0, kind = 'host' }: Given = {}): Entity {
  const sight: EntitySnapshot = {
    ...{ key: name, kind, namespace: 'fleet', name, calledBy: [name], state, phase: '', words: '' },
    ...{ worries: [], served: true, createdAt: 0, changedAt: 0, setRight: [] },
  };
  return { sight, wellBefore: true, said: [], ...(lasted > 0 ? { troubledSince: NOW - lasted } : {}) };
}

const troubled = (name: string, lasted: number, kind?: EntitySnapshot['kind']): Entity =>
  subject(name, 'troubled', { lasted, ...(kind ? { kind } : {}) });

const table: readonly (readonly [readonly Entity[], string])[] = [
  [[], '0 hosts'],
  [[subject('a', 'well')], '1 host: 1 well'],
  [
    [
      subject('a', 'well'),
      troubled('b', seconds(12)),
      subject('c', 'starting'),
      subject('p', 'well', { kind: 'pool' }),
    ],
    '3 hosts: 1 well, 1 starting, 1 in trouble (b, 12s)',
  ],
  [
    [troubled('a', minutes(3)), troubled('b', seconds(12)), troubled('ci', seconds(5), 'fleet')],
    '2 hosts: 0 well, 2 in trouble (a, 3m; b, 12s); in trouble: fleet ci, 5s',
  ],
];
for (const [subjects, words] of table) {
  test(`how things stand: ${words}`, () => assert.equal(summaryWords(subjects, NOW), words));
}

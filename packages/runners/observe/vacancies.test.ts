import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { names } from '@minifleet/api';
import { milliseconds, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import type { ObjectChange, Pod } from '@minifleet/kube';
import { createVacancies } from './vacancies.ts';

type Phase = NonNullable<NonNullable<Pod['status']>['phase']>;

describe('how long a runner’s place is empty', () => {
  let clock: FakeClock;
  let wanted: number;
  let filled: number[];
  let saw: (change: ObjectChange<Pod>) => void;

  beforeEach(() => {
    clock = fakeClock();
    wanted = 2;
    filled = [];
    saw = createVacancies({ clock, wanted: () => wanted, onFilled: (_, time) => void filled.push(time) });
    for (const name of ['a', 'b']) saw({ type: 'added', object: runner(name), initial: true });
  });

  const runner = (name: string, phase: Phase = 'Running', more: object = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'ci', name, labels: { [names.labels.runnerPool]: 'macos' }, ...more },
    status: { phase },
  });
  const made = (name: string): void => saw({ type: 'added', object: runner(name, 'Pending'), initial: false });
  const ended = (name: string): void =>
    saw({ type: 'updated', previous: runner(name), object: runner(name, 'Succeeded') });

  test('the replacement time of a runner lasts from its end to the creation of the next one', async () => {
    ended('a');
    await clock.advance(milliseconds(300));
    made('c');
    saw({ type: 'deleted', object: runner('a', 'Succeeded') });
    assert.deepEqual(filled, [0.3]);
  });

  test('the replacement time starts with the deletion of a Pod or with its disappearance', async () => {
    saw({ type: 'updated', previous: runner('a'), object: runner('a', 'Running', { deletionTimestamp: 'now' }) });
    await clock.advance(seconds(1));
    saw({ type: 'deleted', object: runner('b') });
    await clock.advance(seconds(1));
    made('c');
    made('d');
    assert.deepEqual(filled, [2, 1]);
  });

  test('a scale-down has no replacement time', async () => {
    wanted = 1;
    ended('a');
    wanted = 2;
    await clock.advance(seconds(9));
    made('c');
    assert.deepEqual(filled, []);
  });

  test('a scale-up has no replacement time', () => {
    wanted = 3;
    made('c');
    assert.deepEqual(filled, []);
  });
});

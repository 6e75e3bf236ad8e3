import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { type HostState, hostStates, type MacHost, macHost } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';
import { stateOf, stateTable } from './state-table.ts';
import { hostStateRows } from './testing/state-table-page.ts';

const states = Object.keys(hostStates) as HostState[];

test('the state table in the docs has a row for every state, each with a file that exists', () => {
  assert.deepEqual(Object.keys(hostStateRows).toSorted(), states.toSorted());
  assert.deepEqual(Object.keys(stateTable).toSorted(), states.toSorted());
  for (const { file } of Object.values(hostStateRows))
    assert.ok(existsSync(new URL(`states/${file}`, import.meta.url)), file);
});

/** Facts that decide the state of a host, each true or false. */
const FACTS = ['listed', 'consumer', 'quarantine', 'release', 'served', 'reinstall', 'restart', 'prepared'] as const;
type Facts = Readonly<Record<(typeof FACTS)[number], boolean>>;

const now = Date.UTC(2030, 0, 1);
const at = timestamp(now);
const consumerRef = { apiGroup: 'g', kind: 'ScalewayAppleSiliconMachine', namespace: 'fleet', name: 'a', uid: '1' };
const isTrue = (type: string) => ({ type, status: 'True', reason: type, message: '', lastTransitionTime: at }) as const;

function hostWith({ consumer, quarantine, release, served, reinstall, restart, prepared }: Facts): MacHost {
  const remedies = {
    ...(reinstall ? { reinstall: { requestTime: at } } : {}),
    ...(restart ? { restart: { requestTime: at } } : {}),
  };
  return macHost.withDefaults({
    apiVersion: macHost.apiVersion,
    kind: 'MacHost',
    metadata: { name: memoryId(1) },
    spec: {
      source: { scaleway: { zone: 'fr-par-1', serverID: memoryId(1) } },
      pool: 'pool-',
      ...(consumer ? { consumerRef, claimEpoch: 1 } : {}),
      ...(quarantine ? { quarantine: { reason: 'x' } } : {}),
      ...(release ? { release: 'Return' } : {}),
    },
    status: {
      remedies,
      ...(served ? { servedSince: at } : {}),
      ...(prepared ? { conditions: [isTrue('NameMirrored'), isTrue('CredentialsReady')] } : {}),
    },
  });
}

const combinations: readonly Facts[] = Array.from(
  { length: 2 ** FACTS.length },
  (_, bits) => Object.fromEntries(FACTS.map((fact, index) => [fact, (bits & (1 << index)) !== 0])) as unknown as Facts,
);
const stateWith = (facts: Facts): HostState => stateOf(hostWith(facts), { now, listed: facts.listed });

test('every transition in the state table of the docs follows from a change of one fact', () => {
  const possible = new Set(
    combinations.flatMap(facts =>
      FACTS.map(fact => `${stateWith(facts)} → ${stateWith({ ...facts, [fact]: !facts[fact] })}`),
    ),
  );
  for (const [state, { next }] of Object.entries(hostStateRows))
    for (const one of next) assert.ok(possible.has(`${state} → ${one}`), `${state} → ${one}`);
});

test('the order of the state table in the docs is the order of the decision', () => {
  const all = Object.fromEntries(FACTS.map(fact => [fact, true])) as unknown as Facts;
  const order = [
    stateWith({ ...all, listed: false }),
    stateWith({ ...all, consumer: false }),
    stateWith({ ...all, consumer: false, quarantine: false }),
    stateWith(all),
    stateWith({ ...all, release: false }),
    stateWith({ ...all, release: false, served: false }),
    stateWith({ ...all, release: false, served: false, reinstall: false }),
    stateWith({ ...all, release: false, served: false, reinstall: false, restart: false }),
    stateWith({ ...all, release: false, served: false, reinstall: false, restart: false, prepared: false }),
  ];
  assert.deepEqual(order, Object.keys(hostStateRows));
});

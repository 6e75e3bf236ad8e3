import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runnerPoolConditions } from '@minifleet/api';
import type { ErrorFactory } from '@minifleet/errors';
import * as forges from '@minifleet/forges';
import { NOW, poolOf, runnerOf } from '../testing/seen.ts';
import * as errors from './errors.ts';
import { poolConditions } from './pool-status.ts';

const factories = [...Object.values(forges), ...Object.values(errors)].filter(
  (one): one is ErrorFactory => typeof one === 'function' && 'definition' in one,
);
const view = {
  pool: poolOf({ replicas: 2 }),
  stuck: new Map<string, string>(),
  why: { reason: 'Ready', message: '' },
  version: { version: '2.338.0', support: { endsAt: undefined } },
  now: NOW,
} as const;
const account = { listedAt: 1, runners: new Map(), absent: new Set<string>() };
const said = (more: Partial<Parameters<typeof poolConditions>[0]>) =>
  Object.fromEntries(
    poolConditions({ ...view, runners: [], account, trouble: undefined, ...more }).map(({ type, status, reason }) => [
      type,
      `${status} ${reason}`,
    ]),
  );

test('every forge error has a reason of the ForgeReachable condition', () => {
  assert.ok(factories.length >= 9);
  for (const { definition, code } of factories) {
    assert.ok(definition.reason in runnerPoolConditions.ForgeReachable.reasons, `${code} gives ${definition.reason}`);
  }
});

test('a healthy pool has only good conditions', () => {
  assert.deepEqual(said({ runners: [runnerOf('idle'), runnerOf('busy')] }), {
    Ready: 'True Ready',
    ForgeReachable: 'True Reachable',
    RunnerVersionSupported: 'True Supported',
    Rolling: 'False UpToDate',
    PodsTerminating: 'False NoneStuck',
    Deleting: 'False NotDeleting',
  });
});

test('every pool condition reason is in the catalogue', () => {
  const busyElsewhere = new Map([['gone', { state: 'offline', busy: true } as const]]);
  const pool = poolOf();
  const going = { ...pool, metadata: { ...pool.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
  const time = '2030-01-01T00:00:00Z';
  const outdated = { image: pool.spec.image, since: time, retryAfter: time };
  const views: readonly Parameters<typeof said>[0][] = [
    { account: { ...account, listedAt: undefined } },
    {
      runners: [runnerOf('leftover', { name: 'gone', pod: undefined })],
      account: { ...account, runners: busyElsewhere },
    },
    { version: undefined },
    { version: { version: '2.336.0', support: { endsAt: NOW } } },
    { pool: poolOf({}, { outdated }) },
    { runners: [runnerOf('idle', { stale: true })] },
    { runners: [runnerOf('busy', { stale: true })] },
    { stuck: new Map(['a', 'b', 'c', 'd', 'e', 'f'].map(name => [name, 'a cause'])) },
    { pool: going },
    { pool: going, runners: [runnerOf('busy')] },
    { pool: going, runners: [runnerOf('idle')] },
  ];
  const given = views.flatMap(each => Object.entries(said(each)));
  for (const [type, words] of given) {
    const [, reason = ''] = words.split(' ');
    const { reasons } = runnerPoolConditions[type as keyof typeof runnerPoolConditions];
    assert.ok(reason in reasons, `${type} says ${reason}`);
  }
  assert.deepEqual(
    [...new Set(given.map(([type, words]) => `${type} ${words}`))]
      .filter(
        one => !/Ready True Ready|NotDeleting|UpToDate|NoneStuck|Reachable True Reachable|True Supported/.test(one),
      )
      .sort(),
    [
      'Deleting True DeletionCompleted',
      'Deleting True RemovingRunners',
      'Deleting True WaitingForJobs',
      'ForgeReachable True StaleRegistrations',
      'ForgeReachable Unknown NotChecked',
      'PodsTerminating True Stuck',
      'Rolling True Rolling',
      'Rolling True WaitingForJobs',
      'RunnerVersionSupported False Outdated',
      'RunnerVersionSupported True EndsSoon',
      'RunnerVersionSupported Unknown NotChecked',
    ],
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import type { Breakage } from './breakage.ts';
import { chooseHost } from './choose-host.ts';

const samm = (name: string, fleetName: string, ready = 'True'): ScalewayAppleSiliconMachine =>
  ({
    metadata: { name },
    spec: { fleetName },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  }) as ScalewayAppleSiliconMachine;

const machines = [
  samm('builders-1', 'builders'),
  samm('macos-1', 'macos', 'False'),
  samm('macos-2', 'macos'),
  samm('runners-1', 'runners'),
];
const breakage: Pick<Breakage, 'id' | 'fleets'> = { id: 'I19', fleets: ['macos', 'runners'] };
const choose = (wanted?: string, struck: readonly string[] = []): string =>
  chooseHost({ breakage, machines, wanted, struck: new Set(struck) }).metadata.name;

describe('which host is broken', () => {
  test('the first that serves in a fleet where it can happen', () => assert.equal(choose(), 'macos-2'));
  test('none that something is being done to already', () => assert.equal(choose(undefined, ['macos-2']), 'runners-1'));
  test('the one that is named, whatever its state', () => assert.equal(choose('macos-1'), 'macos-1'));
  test('one of another fleet, or an unknown one, is refused with those there are', () => {
    for (const name of ['builders-1', 'nobody']) {
      assert.throws(() => choose(name), {
        message: `I19 can happen to hosts of macos, runners, and ${name} is none of them; choose among macos-1, macos-2, runners-1`,
      });
    }
  });
  test('one that something is being done to already is refused with the way out', () => {
    assert.throws(
      () => choose('macos-2', ['macos-2']),
      /is being done to macos-2 already \(minifleet mend macos-2 ends it\); choose among macos-1, runners-1$/,
    );
  });
  test('when all are taken that is said', () => {
    assert.throws(() => choose(undefined, ['macos-2', 'runners-1']), /none of them is Ready and left alone so far/);
  });
});

test('a host whose first run is not over is not offered, though it is Ready', () => {
  const machine = (name: string, job?: object): ScalewayAppleSiliconMachine =>
    ({
      metadata: { name },
      spec: { fleetName: 'macos' },
      status: { conditions: [{ type: 'Ready', status: 'True' }], ...(job ? { job } : {}) },
    }) as unknown as ScalewayAppleSiliconMachine;
  const breakage = { id: 'I19', fleets: ['macos'] } as const;
  const machines = [machine('new', { id: 'j' }), machine('old')];
  assert.equal(chooseHost({ breakage, machines, wanted: undefined, struck: new Set() }).metadata.name, 'old');
});

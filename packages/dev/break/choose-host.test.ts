import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { chooseHost } from './choose-host.ts';

const machine = (name: string, fleetName: string, ready = 'True', currentStep = ''): ScalewayAppleSiliconMachine =>
  ({
    metadata: { name },
    spec: { fleetName },
    status: { conditions: [{ type: 'Ready', status: ready }], currentStep },
  }) as unknown as ScalewayAppleSiliconMachine;

const machines = [
  machine('builders-1', 'builders'),
  machine('macos-1', 'macos', 'False'),
  machine('macos-2', 'macos'),
  machine('runners-1', 'runners'),
];
const fault = { id: 'I19', fleets: ['macos', 'runners'] } as const;
const choose = (requested?: string, active: readonly string[] = []): string =>
  chooseHost({ fault, machines, requested, active: new Set(active) }).metadata.name;

test('break chooses the first Ready host of a matching fleet', () => assert.equal(choose(), 'macos-2'));

test('break skips hosts that already have a fault', () => assert.equal(choose(undefined, ['macos-2']), 'runners-1'));

test('break accepts a requested host that is not Ready', () => assert.equal(choose('macos-1'), 'macos-1'));

test('break rejects a host of another fleet or an unknown host, and lists the candidates', () => {
  for (const name of ['builders-1', 'unknown']) {
    assert.throws(() => choose(name), {
      message: `I19 needs a host of macos, runners, but ${name} is not one; candidates: macos-1, macos-2, runners-1`,
    });
  }
});

test('break rejects a host that already has a fault, and names the next action', () => {
  assert.throws(
    () => choose('macos-2', ['macos-2']),
    /macos-2 already has a fault \(end it with minifleet mend macos-2\); candidates: macos-1, runners-1$/,
  );
});

test('break fails when every Ready host has a fault', () => {
  assert.throws(() => choose(undefined, ['macos-2', 'runners-1']), /no such host is Ready and without a fault/);
});

test('break skips a Ready host whose steps are still running', () => {
  const all = [machine('new', 'macos', 'True', 'agent'), machine('old', 'macos')];
  assert.equal(chooseHost({ fault, machines: all, requested: undefined, active: new Set() }).metadata.name, 'old');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { Breakage, Seen, Struck } from './breakage.ts';
import type { Theatre } from './stage.ts';
import { strikeOrders } from './strike.ts';

const samm = (name: string): ScalewayAppleSiliconMachine =>
  ({
    metadata: { namespace: 'default', name },
    spec: { fleetName: 'macos' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }) as ScalewayAppleSiliconMachine;

const breakage = (id: string, given: Partial<Breakage & Struck> = {}): Breakage => {
  const { look = async () => undefined, tidy, ...rest } = given;
  const strike = async (): Promise<Struck> => ({ did: id, look, ...(tidy ? { tidy } : {}) });
  return { id, title: id, fleets: ['macos'], promise: id, within: seconds(60), strike, ...rest };
};

function orders(hosts: readonly string[], catalogue: readonly Breakage[]) {
  const clock = fakeClock();
  const client = { list: async () => ({ items: hosts.map(samm) }), create: async () => ({}) };
  const { strike, mend } = strikeOrders({ clock, client } as unknown as Theatre, catalogue);
  const never = new AbortController().signal;
  return {
    clock,
    strike: (incident: string) => strike({ incident, wait: false }, () => undefined, never),
    mend: () => mend({}, () => undefined, never),
  };
}

test('what is seen late of one strike does not put right what another has done to the host since', async () => {
  const tidied: string[] = [];
  let seen: Seen | undefined;
  const { clock, strike, mend } = orders(
    ['macos-1'],
    [
      breakage('I01', { look: async () => seen, tidy: async () => void tidied.push('I01') }),
      breakage('I02', { tidy: async () => void tidied.push('I02') }),
    ],
  );
  await strike('I01');
  await mend();
  await strike('I02');
  seen = { healed: 'at last' };
  await clock.advance(seconds(2));
  assert.deepEqual(tidied, ['I01']);
});

test('I40 what needs the pool of runners to itself is not done while another is, and is told how that ends', async () => {
  const catalogue = [breakage('I39', { needsPool: true }), breakage('I40', { needsPool: true }), breakage('I19')];
  const { strike, mend } = orders(['macos-1', 'macos-2', 'macos-3'], catalogue);
  await strike('I39');
  await assert.rejects(strike('I40'), {
    message:
      'I40 needs the pool of runners to itself, and I39 is being done to it on macos-1; try again when that is seen, or end it with minifleet mend macos-1',
  });
  await strike('I19');
  await mend();
  await strike('I40');
});

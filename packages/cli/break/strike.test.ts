import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { Samm } from '../cluster/machines.ts';
import type { Breakage, Seen } from './breakage.ts';
import type { Theatre } from './stage.ts';
import { strikeOrders } from './strike.ts';

const samm = {
  metadata: { namespace: 'default', name: 'macos-1' },
  spec: { fleetName: 'macos' },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
} as Samm;

test('what is seen late of one strike does not put right what another has done to the host since', async () => {
  const clock = fakeClock();
  const client = { list: async () => ({ items: [samm] }), create: async () => ({}) };
  const tidied: string[] = [];
  let seen: Seen | undefined;
  const breakage = (id: string): Breakage => ({
    id,
    title: id,
    fleets: ['macos'],
    promise: id,
    within: seconds(60),
    strike: async () => ({
      did: id,
      look: async () => (id === 'I01' ? seen : undefined),
      tidy: async () => void tidied.push(id),
    }),
  });
  const theatre = { clock, client } as unknown as Theatre;
  const { strike, mend } = strikeOrders(theatre, [breakage('I01'), breakage('I02')]);
  const never = new AbortController().signal;
  await strike({ incident: 'I01', wait: false }, () => undefined, never);
  await mend({}, () => undefined, never);
  await strike({ incident: 'I02', wait: false }, () => undefined, never);
  seen = { healed: 'at last' };
  await clock.advance(seconds(2));
  assert.deepEqual(tidied, ['I01']);
});

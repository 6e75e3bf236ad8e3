import { randomUUID } from 'node:crypto';
import { milliseconds, seconds, systemClock } from '@minifleet/clock';
import type { GuestSpec } from '../guest.ts';
import { type GuestConduct, guestsContract } from './guests-contract.ts';
import { createSyntheticGuests, type SyntheticRun } from './synthetic-guests.ts';

const soon = milliseconds(10);

const conducts: Readonly<Record<GuestConduct, SyntheticRun>> = {
  'its process ends with 0': { exits: { after: soon } },
  'its process ends with 7': { exits: { after: soon, exitCode: 7 } },
  'it runs until it is stopped': {},
  'it ignores its shutdown': { ignoresShutdown: true },
  'it crashes': { exits: { after: soon, exitCode: 1, reason: 'VMCrashed' } },
  'it halts by itself': { exits: { after: soon } },
};

guestsContract('synthetic guests', async () => {
  const runs = new Map<string, SyntheticRun>();
  const guests = createSyntheticGuests({ clock: systemClock, behave: ({ id }) => runs.get(id.uid) ?? {} });
  return {
    guests,
    spec(conduct): GuestSpec {
      const id = { uid: randomUUID(), attempt: 0 };
      runs.set(id.uid, conducts[conduct]);
      const image = 'registry.example/macos@sha256:abc';
      return { id, pod: 'default/a', image, shares: [], freshIdentity: true, logFile: '', bootWithin: seconds(60) };
    },
  };
});

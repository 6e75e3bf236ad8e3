import { silentLog } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import type { MachineCredentials } from '../../credentials/credentials.ts';
import type { Join } from '../../join/join.ts';
import type { BuilderRunners } from '../builder-runners.ts';
import type { MachineParts } from '../parts.ts';
import { settings } from './settings.ts';

/** Credentials that are always at hand; what is done to them is written into `effects`. */
const fakeCredentials = (effects: string[]): MachineCredentials => ({
  fleetKey: async () => ({ name: 'runners', publicKey: 'ssh-ed25519 AAAA', privateKey: new Secret('the key', 'key') }),
  hostAccess: async () => ({ user: 'm1', passwordRejected: false }),
  pin: async () => void effects.push('pin'),
  passwordRejected: async (_samm, tried) => void effects.push(`password ${tried.reveal().toString()} rejected`),
  forget: async () => void effects.push('forget credentials'),
});

const fakeJoin = (effects: string[]): Join => ({
  material: async () => ({ kubeconfig: new Secret('the kubeconfig', 'token'), expiresAt: 0 }),
  withdraw: async () => void effects.push('withdraw token'),
  servingRequests: () => [],
});

export interface FakeRunners extends BuilderRunners {
  now: 'online' | 'offline' | 'busy' | 'absent';
}

export function fakeRunners(effects: string[]): FakeRunners {
  const runners: FakeRunners = {
    now: 'online',
    token: async () => new Secret('the runner token', 'token'),
    url: ({ ghOrg }) => `https://forge.test/${ghOrg}`,
    state: async () => runners.now,
    async remove() {
      if (runners.now === 'busy') return false;
      effects.push('remove runner');
      return true;
    },
  };
  return runners;
}

/** What a machine needs beside an API, a vendor and claims. */
export const fakeParts = (effects: string[]): Pick<MachineParts, 'log' | 'settings' | 'credentials' | 'join'> => ({
  log: silentLog,
  settings,
  credentials: fakeCredentials(effects),
  join: fakeJoin(effects),
});

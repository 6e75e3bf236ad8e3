import type { ReleasePhase } from '../phase.ts';

/** What lets the host in goes before what lets us in: a half-done revocation leaves no way to join. */
export const revokeCredentials: ReleasePhase = {
  reason: 'RevokingCredentials',
  async run({ samm }, { join, credentials }) {
    await join.withdraw(samm);
    await credentials.forget(samm);
    return { kind: 'done' };
  },
};

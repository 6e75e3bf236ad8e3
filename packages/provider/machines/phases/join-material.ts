import { milliseconds } from '@minifleet/clock';
import { isJoined } from '../../host-work/look-at-situation.ts';
import { passed, phase } from '../phase.ts';

/** What the host is given to join. Once its Node is there it has a certificate of its own, and the token goes (A5). */
export const joinMaterialReady = phase('JoinMaterialReady', async (scope, { clock, join }) => {
  const { samm, cluster, found } = scope;
  if (isJoined(scope)) {
    await join.withdraw(samm);
    return passed('JoinMaterialReady', 'the host has joined and needs no bootstrap token');
  }
  if (!cluster) throw new Error('JoinMaterialReady runs after ClusterReady');
  found.join = await join.material(samm, cluster);
  // In time to keep the token alive: a run may be on its way to the host with it.
  const again = milliseconds(Math.max(0, found.join.expiresAt - clock.now()) / 2);
  return passed('JoinMaterialReady', 'the bootstrap token is available', again);
});

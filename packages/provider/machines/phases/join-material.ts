import { milliseconds } from '@minifleet/clock';
import { timeUntilRejoin } from '../../cluster-api/lost-node.ts';
import { passed, phase } from '../phase.ts';
import { hasJoined } from './node-ready.ts';

/**
 * Join credentials of the host. Once its Node exists, the host has its own certificate, and the token is deleted (A5). A Node that has been
 * silent for long may have lost its certificate, so its agent gets a token again.
 */
export const joinMaterialReady = phase('JoinMaterialReady', async (scope, { clock, join, settings }) => {
  const { machine, cluster, node } = scope;
  const rejoinIn = timeUntilRejoin(node, { now: clock.now(), after: settings.rejoinAfter });
  if (hasJoined(scope) && rejoinIn !== 0) {
    await join.withdraw(machine);
    return passed('JoinMaterialReady', 'the host has joined and needs no bootstrap token', rejoinIn);
  }
  if (!cluster) throw new Error('JoinMaterialReady runs after ClusterReady');
  const { expiresAt } = await join.material(machine, cluster);
  // In time to extend the token: a job may be bringing it to the host.
  const again = milliseconds(Math.max(0, expiresAt - clock.now()) / 2);
  return passed('JoinMaterialReady', 'the bootstrap token is available', again);
});

import { createHash } from 'node:crypto';
import { type Duration, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { isAlreadyExists, namespaces } from '@minifleet/kube';
import type { MemoryApi } from '@minifleet/kube/testing';
import type { Server } from '@minifleet/vendors';
import { type MemoryVendor, memoryVendor } from '@minifleet/vendors/testing';
import { ACCOUNT, type TokenAccount, tokenAccount } from '../../control-plane/testing/token-account.ts';
import { POOL } from '../../machines/testing/settings.ts';
import { type MemoryClusterOptions, memoryCluster } from '../../testing/memory-cluster.ts';
import { type CoreStandIn, coreStandIn } from './core-stand-in.ts';
import { type PoolMacs, poolMacs } from './pool-macs.ts';

/** Environment that outlives every provider: an API server, a vendor with two free hosts, their Macs, and a simulated Cluster API. */
export interface FleetWorld {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly clusterId: string;
  readonly vendor: MemoryVendor;
  readonly macs: PoolMacs;
  readonly core: CoreStandIn;
  readonly account: TokenAccount;
  /** Deterministic random bytes: each call returns other bytes, in the same order in every world. */
  readonly random: (bytes: number) => Uint8Array;
  /** Runs the simulated Macs and Cluster API, then advances the clock (default: 5s). */
  pass(time?: Duration): Promise<void>;
}

const STEP = seconds(5);

export interface FleetWorldOptions extends MemoryClusterOptions {
  /** Servers at the vendor (default: two free hosts). */
  readonly servers?: readonly Partial<Server>[];
}

const TWO_FREE_HOSTS = [1, 2].map(number => ({ name: `${POOL}${number}` }));

export async function fleetWorld(options: FleetWorldOptions = {}): Promise<FleetWorld> {
  const clock = fakeClock();
  const vendor = memoryVendor({ servers: options.servers ?? TWO_FREE_HOSTS });
  const { api, clusterId } = await memoryCluster(clock, options);
  const { client } = api;
  const macs = poolMacs(vendor, client, clock);
  const core = coreStandIn(api);
  await client.create(namespaces, { metadata: { name: ACCOUNT.namespace } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  let drawn = 0;
  return {
    ...{ api, clock, clusterId, vendor, macs, core },
    account: tokenAccount(client, clock),
    random: bytes => createHash('shake256', { outputLength: bytes }).update(String(++drawn)).digest(),
    async pass(time = STEP) {
      macs.tick();
      await core.tick();
      await clock.advance(time);
    },
  };
}

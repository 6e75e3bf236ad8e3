import { names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { VENDOR_UNAVAILABLE, type Vendor } from '@minifleet/vendors';
import { memoryServer } from '@minifleet/vendors/testing';
import { type Chance, createChance } from '@minifleet/world';
import { clusters } from '../../cluster-api/kinds.ts';
import { sweepController } from '../../sweep/sweep-controller.ts';
import { claimController } from '../claim-controller.ts';
import type { Claims, ReleaseHow } from '../claims.ts';
import type { Vendors } from '../vendors.ts';
import { readClaim } from '../write-claim.ts';
import { type ClaimsBench, claimsBench, machines, PREFIX } from './claims-bench.ts';

type Samm = ScalewayAppleSiliconMachine;

export interface Trouble {
  readonly seed: string;
  readonly machines: number;
  readonly hosts: number;
}

/** Machines that come and go over two providers at once, on an API and a vendor that fail, lose answers and show old lists. */
export interface FleetUnderTrouble {
  readonly bench: ClaimsBench;
  /** Hosts that were wiped though their machine did not give them back. */
  readonly wipedInUse: readonly string[];
  /** One round: a few passes of both providers at once, on machines that may be the same, with faults. */
  readonly round: () => Promise<void>;
  /** No more faults; one provider, and its controllers, until nothing changes. */
  readonly comeToRest: () => Promise<void>;
  readonly machines: () => Promise<readonly Samm[]>;
}

const key = (name: string) => ({ namespace: 'fleet', name });
/** The same for everybody who handles the machine, as its spec is. */
const howOf = (name: string): ReleaseHow['how'] => {
  if (name.endsWith('7')) return 'Retain';
  return name.endsWith('5') ? 'Quarantine' : 'Return';
};

export async function fleetUnderTrouble(trouble: Trouble): Promise<FleetUnderTrouble> {
  const chance = createChance(trouble.seed);
  const wipedInUse: string[] = [];
  const servers = Array.from({ length: trouble.hosts }, (_, index) =>
    memoryServer(index + 1, { name: `${PREFIX}${index + 1}` }),
  );
  const bench = await claimsBench({
    servers,
    onCall: async ({ call, id = '' }) => {
      if (call !== 'reinstall') return;
      const uid = (await readClaim(api.client, id))?.spec.machineRef?.uid;
      const holder = (await list()).find(({ metadata }) => metadata.uid === uid);
      if (holder && !holder.metadata.deletionTimestamp) wipedInUse.push(id);
    },
  });
  const { api, clock, vendor } = bench;
  const list = async (): Promise<Samm[]> => (await api.client.list(machines)).items;
  await api.client.create(clusters, { metadata: { namespace: 'fleet', name: 'mac' } });
  let calm = false;
  const shaky = shakyVendor(vendor, () => (!calm && chance.next() < 0.1 ? pick(['before', 'after']) : undefined));
  const vendors: Vendors = { for: async () => shaky, all: () => [shaky] };
  const sweep = { every: minutes(5), zones: ['fr-par-1'], reclaim: true };
  const settings = { defaultPoolPrefix: PREFIX, namespace: undefined, sweep };
  const { clusterId } = bench;
  await bench.run(runtime => {
    runtime.add(claimController({ settings, clusterId }));
    runtime.add(sweepController({ vendors, settings, clusterId, onReport: () => undefined }));
  });
  let providers: Claims[] = [await bench.provider({ vendors }), await bench.provider({ vendors })];
  let made = 0;
  const pick = <T>(from: readonly T[]): T | undefined => from[chance.integer(from.length)];

  async function fill(): Promise<void> {
    for (let there = (await list()).length; there < trouble.machines; there++) {
      const { metadata } = await bench.machine(`m-${++made}`);
      const body = { metadata: { finalizers: [names.finalizers.machine] } };
      await api.client.patch(machines, key(metadata.name), { type: 'merge', body });
    }
  }

  /** Whatever a provider does takes time to end: the clock goes on meanwhile. A failed pass is a crash between two effects. */
  async function ended(passes: readonly Promise<unknown>[]): Promise<void> {
    let open = true;
    const all = Promise.allSettled(passes).then(() => {
      open = false;
    });
    while (open) await clock.advance(seconds(1));
    await all;
  }

  return {
    bench,
    wipedInUse,
    machines: list,
    async round() {
      await fill();
      const samms = await list();
      if (chance.next() < 0.5) await api.client.delete(machines, key(pick(samms)?.metadata.name ?? ''));
      addFaults(bench, chance, pick);
      const passes = providers.flatMap(claims =>
        Array.from({ length: 4 }, () => pass(bench, claims, pick(samms)?.metadata.name ?? '')),
      );
      await ended(passes);
      // What the test itself asks of the API must not wait for a clock that nobody moves.
      api.faults.clear();
      for (const { id, state } of vendor.all()) if (state === 'busy' && chance.next() < 0.4) vendor.finish(id);
      // Time for a quarantine to end.
      if (chance.next() < 0.2) await clock.advance(minutes(60));
      if (chance.next() < 0.2) providers = [await bench.provider({ vendors }), providers[0] as Claims];
    },
    async comeToRest() {
      calm = true;
      vendor.releaseLists();
      const claims = await bench.provider();
      for (let times = 0; times < 8; times++) {
        const passes = (await list()).map(({ metadata }) => pass(bench, claims, metadata.name));
        await ended(passes);
        for (const { id, state } of vendor.all()) if (state === 'busy') vendor.finish(id);
        await clock.advance(sweep.every);
      }
    },
  };
}

/** What the machine's own controller does, as far as the claim goes. */
async function pass({ api }: ClaimsBench, claims: Claims, name: string): Promise<void> {
  const how = howOf(name);
  const samm = await api.client.find(machines, key(name));
  if (!samm) return;
  const patch = (body: object) =>
    api.client.patch(machines, key(name), { type: 'merge', body: { metadata: { uid: samm.metadata.uid }, ...body } });
  const note = (claim: { metadata: { name: string }; spec: { claimEpoch: number } }) =>
    patch({ spec: { claimRef: { name: claim.metadata.name, epoch: claim.spec.claimEpoch } } });
  const own = await claims.rediscover(samm);
  if (own && (samm.spec.claimRef?.name !== own.metadata.name || samm.spec.claimRef.epoch !== own.spec.claimEpoch)) {
    await note(own);
  } else if (samm.metadata.deletionTimestamp) {
    const released = own && (await claims.release(samm, own, { how, os: samm.spec.os }));
    if (released?.kind === 'waiting') return;
    await patch({ metadata: { uid: samm.metadata.uid, finalizers: [] } });
  } else if (own) {
    const standing = await claims.mirror(samm, own);
    if (standing.kind === 'held' && how === 'Quarantine') {
      await claims.recordFailure(own.metadata.name, { step: 'login', reason: 'StepFailed', message: 'x' });
    }
  } else if (!samm.spec.claimRef) {
    const taken = await claims.take(samm);
    if (taken.kind === 'taken') await note(taken.claim);
  }
}

/** Each call may fail before it has its effect, or lose its answer after. */
function shakyVendor(vendor: Vendor, strike: () => 'before' | 'after' | undefined): Vendor {
  const failure = () => VENDOR_UNAVAILABLE({ vendor: vendor.name, call: 'anything', why: 'made to fail by a test' });
  async function shaken<T>(call: () => Promise<T>): Promise<T> {
    const when = strike();
    if (when === 'before') throw failure();
    const answer = await call();
    if (when === 'after') throw failure();
    return answer;
  }
  return {
    ...vendor,
    servers: zone => shaken(() => vendor.servers(zone)),
    server: ref => shaken(() => vendor.server(ref)),
    rename: (ref, name) => shaken(() => vendor.rename(ref, name)),
    reinstall: (ref, image) => shaken(() => vendor.reinstall(ref, image)),
    images: (zone, type) => shaken(() => vendor.images(zone, type)),
  };
}

function addFaults({ api, vendor }: ClaimsBench, chance: Chance, pick: <T>(from: readonly T[]) => T | undefined): void {
  const when = chance.next() < 0.5 ? 'before' : 'after';
  const path = pick([/hostclaims/, /scalewayapplesiliconmachines/]) ?? /hostclaims/;
  const method = pick(['POST', 'PUT', 'PATCH', 'DELETE', 'GET'] as const) ?? 'GET';
  if (chance.next() < 0.6) api.faults.dropNext({ match: { method, path, watch: false }, when });
  if (chance.next() < 0.3) {
    const match = { method: 'PUT', path: /hostclaims/ } as const;
    api.faults.failNext({ match, status: 409, reason: 'Conflict', message: 'the object has been modified' });
  }
  if (chance.next() < 0.3) vendor.holdLists();
  else vendor.releaseLists();
  if (chance.next() < 0.2) api.faults.dropWatches();
}

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { milliseconds, minutes, seconds, systemClock } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { Secret } from '@minifleet/secret';
import {
  createChance,
  createFaultPlan,
  createJournal,
  type FaultPlan,
  type Journal,
  type Scaleway,
  startScaleway,
} from '@minifleet/world';
import type { VendorBench } from '../../testing/contract/vendor-bench.ts';
import type { CallName } from '../../testing/vendor-call.ts';
import { type ScalewayOptions, scalewayVendor } from '../scaleway-vendor.ts';

/** The driver in front of the world’s Scaleway. Time there stands still until the test moves it; the driver’s is the real one. */
export interface ScalewayBench extends VendorBench {
  readonly scaleway: Scaleway;
  readonly clock: FakeClock;
  readonly faults: FaultPlan;
  readonly journal: Journal;
  /** Every request that the API answered so far: `GET /apple-silicon/… 200`. */
  readonly requests: () => readonly string[];
  /** Another driver on the same vendor. */
  readonly open: (options?: Partial<ScalewayOptions>) => VendorBench['vendor'];
}

export type WorldOptions = Omit<Parameters<typeof startScaleway>[0], 'deps'>;

/** Two tries without much of a pause: tests need no politeness. */
export const hasty = {
  tries: 2,
  firstPause: milliseconds(1),
  longestPause: milliseconds(1),
  requestsPerSecond: 10_000,
  answerWithin: seconds(10),
};

/** Request that performs the call. */
const REQUESTS: Readonly<Record<CallName, RegExp>> = {
  servers: /^GET .*\/servers$/,
  server: /^GET .*\/servers\/[^/]+$/,
  rename: /^PATCH .*\/servers\/[^/]+$/,
  reinstall: /^POST .*\/reinstall$/,
  reboot: /^POST .*\/reboot$/,
  images: /^GET .*\/os$/,
  registerKey: /^POST .*\/ssh-keys$/,
};

const FAULTS = {
  lost: { fault: { type: 'drop', when: 'after' }, times: 1 },
  down: { fault: { type: 'fail', code: 503, message: 'down for a while' } },
  hang: { fault: { type: 'hang' } },
} as const;

export async function startScalewayBench(options: WorldOptions = {}): Promise<ScalewayBench> {
  const clock = fakeClock();
  const chance = createChance('scaleway driver');
  const faults = createFaultPlan(chance.stream('faults'));
  const journal = createJournal(clock);
  const scaleway = await startScaleway({
    ...options,
    // On a clock that stands still no window ever ends.
    settings: { rateLimit: 'none', ...options.settings },
    deps: { clock, chance, faults, journal },
  });
  const { apiURL, accessKey, secretKey, defaultProjectId } = scaleway.apiFor();
  const open = (said: Partial<ScalewayOptions> = {}): VendorBench['vendor'] =>
    scalewayVendor({
      apiUrl: apiURL,
      accessKey,
      secretKey: new Secret('the key of the test', secretKey),
      projectId: defaultProjectId,
      clock: systemClock,
      ...said,
      patience: { ...hasty, ...said.patience },
    });
  return {
    scaleway,
    clock,
    faults,
    journal,
    vendor: open(),
    zone: 'fr-par-1',
    otherZone: 'fr-par-3',
    open,
    addServer: (name, zone) => scaleway.console.addServer({ name, age: minutes(60), ...(zone && { zone }) }),
    removeServer: id => returnServer(scaleway, clock, id),
    finish: () => clock.advance(minutes(20)),
    strike: (call, fault) => faults.add({ kind: 'request', detail: REQUESTS[call], ...FAULTS[fault] }),
    heal: () => faults.clear(),
    keys: () => scaleway.console.sshKeys().map(({ publicKey }) => publicKey),
    requests: () =>
      journal.entries.filter(({ what }) => what === 'request' || what === 'refused').map(({ detail }) => detail),
    secrets: [secretKey],
    async close() {
      await scaleway.close();
      assert.deepEqual(journal.gaps, [], 'the driver relied on something the world does not model');
    },
  };
}

/** A bench that closes with the test. */
export async function benchFor(t: TestContext, options?: WorldOptions): Promise<ScalewayBench> {
  const bench = await startScalewayBench(options);
  t.after(() => bench.close());
  return bench;
}

/** Ends the rental like an operator: over the API, a day later. */
async function returnServer(scaleway: Scaleway, clock: FakeClock, id: string): Promise<void> {
  await clock.advance(minutes(24 * 60));
  const { zone } = scaleway.console.server(id);
  const { apiURL, secretKey } = scaleway.apiFor();
  const url = `${apiURL}/apple-silicon/v1alpha1/zones/${zone}/servers/${id}`;
  const response = await fetch(url, { method: 'DELETE', headers: { 'x-auth-token': secretKey } });
  if (!response.ok) throw new Error(await response.text());
}

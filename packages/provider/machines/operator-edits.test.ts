import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostState, MacHost } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { HOST_KEY_REFUSED, HOST_UNREACHABLE } from '@minifleet/host';
import { isConditionTrue } from '@minifleet/kube';
import { memoryId, type VendorCall } from '@minifleet/vendors/testing';
import { hosts, type MachineBench, machineBench } from './testing/machine-bench.ts';
import { endJobs } from './testing/start-controllers.ts';

const id = memoryId(1);
const servers = [{ name: 'tuist-pool-1' }, { name: 'tuist-pool-2' }];

/** A bench whose vendor answers no call of one kind until `heal`, so that a host stays in a state that waits for the vendor. */
interface EditBench extends MachineBench {
  readonly block: (call: VendorCall['call']) => void;
  readonly heal: () => void;
}

async function editBench(): Promise<EditBench> {
  let blocked: VendorCall['call'] | undefined;
  const bench = await machineBench({
    ...{ servers, manualJobs: true },
    async onVendorCall({ call }) {
      if (call === blocked) throw new Error('the vendor does not answer');
    },
  });
  await bench.cluster();
  return Object.assign(bench, {
    block: (call: VendorCall['call']) => {
      blocked = call;
    },
    heal: () => {
      blocked = undefined;
    },
  });
}

const failJob = async (bench: MachineBench, error = HOST_UNREACHABLE({ address: 'a', why: 'timeout' })) => {
  for (let minute = 0; minute < 30 && bench.jobs.running === 0; minute++) await bench.advance(minutes(1));
  bench.jobs.end(id, { kind: 'failed', error, hostKey: undefined });
  await bench.settle();
};

async function serve(bench: MachineBench): Promise<void> {
  await bench.machine('a');
  endJobs(bench.jobs);
  await bench.settle();
  await bench.join('a');
}

/** Brings the first host to each state. Except for a free host, the machine `a` holds it. */
const reach: Readonly<Record<HostState, (bench: EditBench) => Promise<void>>> = {
  Available: async () => undefined,
  async Claimed(bench) {
    bench.block('rename');
    await bench.machine('a');
  },
  Bootstrapping: bench => bench.machine('a'),
  Serving: serve,
  async Restarting(bench) {
    await bench.machine('a');
    bench.block('reboot');
    for (let failure = 0; failure < 3; failure++) await failJob(bench);
  },
  async Reinstalling(bench) {
    await bench.machine('a');
    bench.block('reinstall');
    await failJob(bench, HOST_KEY_REFUSED({ address: 'a' }));
  },
  async Releasing(bench) {
    await serve(bench);
    bench.block('reinstall');
    await bench.delete('a');
  },
  Quarantined: bench => bench.patchHost(id, { spec: { quarantine: { reason: 'display cable' } } }),
  async Missing(bench) {
    await serve(bench);
    bench.vendor.remove(id);
    await bench.advance(minutes(5));
  },
};

const NO_CONSUMER = { consumerRef: null, desired: null, clusterID: null, release: null };
const EDITS = ['delete', 'force delete', 'no consumer', 'other desired', 'release', 'no status'] as const;
type Edit = (typeof EDITS)[number];

async function edit({ api: { client } }: MachineBench, what: Edit): Promise<void> {
  const patch = (body: object, options = {}) => client.patch(hosts, { name: id }, { type: 'merge', body }, options);
  if (what === 'force delete') await patch({ metadata: { finalizers: null } });
  if (what === 'delete' || what === 'force delete') await client.delete(hosts, { name: id });
  if (what === 'no consumer') await patch({ spec: NO_CONSUMER });
  if (what === 'other desired') await patch({ spec: { desired: { nodeName: 'other' } } });
  if (what === 'release') await patch({ spec: { release: 'Return' } });
  if (what === 'no status') await patch({ status: null }, { subresource: 'status' });
}

/** For half an hour, jobs succeed, the vendor finishes what it began, and agents register their Nodes. */
async function recover(bench: MachineBench): Promise<void> {
  for (let pass = 0; pass < 12; pass++) {
    await bench.advance(minutes(3));
    endJobs(bench.jobs);
    for (const { id: busy, state } of bench.vendor.all()) if (state === 'busy') bench.vendor.finish(busy);
    await bench.settle();
    if ((await holderOf(bench))?.status?.servedSince !== undefined) await bench.join('a');
  }
}

async function holderOf({ api: { client } }: MachineBench): Promise<MacHost | undefined> {
  const held = (await client.list(hosts)).items.filter(({ spec }) => spec.consumerRef?.name === 'a');
  assert.ok(held.length <= 1, 'a machine holds at most one host');
  return held[0];
}

/** End of the machine `a` and of both hosts: name at the vendor and state. `since` is the number of vendor calls before the edit. */
async function resultOf(bench: MachineBench, since: number): Promise<string> {
  const machine = await bench.find('a');
  const claim =
    machine && (isConditionTrue(machine, 'Ready') ? 'Ready' : (await bench.condition('a', 'HostClaimed'))?.reason);
  const wiped = bench.vendor.calls.slice(since).some(({ call }) => call === 'reinstall');
  const both = [1, 2].map(async number => {
    const { name = 'gone' } = bench.vendor.all().find(server => server.id === memoryId(number)) ?? {};
    return `${name} ${(await bench.host(memoryId(number)))?.status?.state ?? 'unmanaged'}`;
  });
  return [claim ?? 'deleted', ...(wiped ? ['reinstalled'] : []), ...(await Promise.all(both))].join(', ');
}

const REJECTED =
  'rejected: desired, release and clusterID belong to the consumer; remove them together with consumerRef';
const ON_FIRST = 'Ready, a Serving, tuist-pool-2 Available';
const ON_FIRST_REINSTALLED = 'Ready, reinstalled, a Serving, tuist-pool-2 Available';
const RELEASED = 'Ready, reinstalled, tuist-pool-1 Available, a Serving';
const ON_SECOND = 'Ready, tuist-pool-1 Available, a Serving';
const IN_QUARANTINE = 'Ready, tuist-pool-1 Quarantined, a Serving';
const RETURNED = 'deleted, reinstalled, tuist-pool-1 Available, tuist-pool-2 Available';
const VANISHED = 'HostVanished, gone Missing, tuist-pool-2 Available';

type Ends = Readonly<Record<Edit, string>>;
const always = (end: string, exceptions: Partial<Ends> = {}): Ends => ({
  ...(Object.fromEntries(EDITS.map(what => [what, end])) as unknown as Ends),
  ...exceptions,
});

/** A host is reinstalled only if its release was requested, its machine is deleted, or its reinstallation was due before the edit. */
const expected: Readonly<Record<HostState, Ends>> = {
  Available: always(ON_FIRST, {
    // Discovery creates the object again within its interval, and the machine does not wait for that.
    ...{ delete: ON_SECOND, 'force delete': ON_SECOND },
    ...{ 'other desired': REJECTED, release: REJECTED },
  }),
  Claimed: always(ON_FIRST, { release: RELEASED }),
  Bootstrapping: always(ON_FIRST, { release: RELEASED }),
  Serving: always(ON_FIRST, { release: RELEASED }),
  Restarting: always(ON_FIRST, { release: RELEASED }),
  // The recorded need for a reinstallation is lost with the status. It is found again when the host rejects the key.
  Reinstalling: always(ON_FIRST, {
    ...{ delete: ON_FIRST_REINSTALLED, 'other desired': ON_FIRST_REINSTALLED, release: RELEASED },
  }),
  Releasing: always(RETURNED, {
    // The server keeps its name at the vendor, which no pool contains, so no machine claims it.
    ...{ 'no consumer': 'deleted, a Available, tuist-pool-2 Available' },
    ...{ 'force delete': 'deleted, a unmanaged, tuist-pool-2 Available' },
  }),
  Quarantined: always(IN_QUARANTINE, {
    // The quarantine is part of the object.
    ...{ delete: ON_SECOND, 'force delete': ON_SECOND },
    ...{ 'other desired': REJECTED, release: REJECTED },
  }),
  Missing: always(VANISHED, {
    'force delete': 'ClaimLost, gone unmanaged, tuist-pool-2 Available',
    release: 'Ready, gone Missing, a Serving',
  }),
};

describe('an operator edits or deletes a MacHost in every state', { concurrency: true }, () => {
  for (const [state, bring] of Object.entries(reach))
    for (const what of EDITS)
      test(`edit of a host in the state ${state}: ${what}`, async () => {
        const bench = await editBench();
        await bring(bench);
        assert.equal((await bench.host(id))?.status?.state, state);
        const end = expected[state as HostState][what];
        const since = bench.vendor.calls.length;
        if (end === REJECTED) await assert.rejects(edit(bench, what), { message: new RegExp(REJECTED.slice(10)) });
        else await edit(bench, what);
        bench.heal();
        if (state === 'Available' || state === 'Quarantined') await bench.machine('a');
        await recover(bench);
        if (end !== REJECTED) assert.equal(await resultOf(bench, since), end);
        await bench.stop();
      });
});

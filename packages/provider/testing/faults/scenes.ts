import { hostClaim } from '@minifleet/api';
import { type Pod, pods } from '@minifleet/kube';
import { memoryId } from '@minifleet/vendors/testing';
import type { StartOptions } from '../../program/testing/start-provider.ts';
import type { FleetBench } from './fleet-bench.ts';
import { begun, heldHost, ready, returned } from './lives.ts';
import type { SceneOf } from './stage.ts';

/** A part of a machine's life, lived under a provider that something happens to. */
export type Scene = SceneOf<FleetBench, StartOptions>;

/** A machine that is Ready, and no provider. */
const served = (spec: object) => async (bench: FleetBench) => {
  const life = bench.start();
  await begun(bench, spec);
  await ready(bench);
  bench.leave(life);
};

const wholeLife: Scene = {
  name: 'a whole life',
  before: async () => undefined,
  options: {},
  async live(bench) {
    await begun(bench);
    if (await ready(bench)) await returned(bench);
  },
};

const roll: Scene = {
  name: 'the desired agent changes, and a VM runs',
  async before(bench) {
    await served({})(bench);
    bench.guests.push(bench.macs.startGuest(await heldHost(bench)));
    const spec = { nodeName: 'a', containers: [{ name: 'vm', image: 'macos' }] };
    const guest: Partial<Pod> = { metadata: { namespace: 'fleet', name: 'guest' }, spec };
    await bench.api.client.create(pods, guest as Pod);
  },
  options: { agent: 'two' },
  async live(bench) {
    const before = (await bench.find('a'))?.status?.plan?.applied;
    const rolled = async (): Promise<boolean> => {
      const { plan, job } = (await bench.find('a'))?.status ?? {};
      return plan?.applied !== before && plan?.applied === plan?.desired && job === undefined;
    };
    if (await bench.until('a has the other agent', rolled)) await ready(bench);
  },
};

const retained: Scene = {
  name: 'the host is retained',
  before: served({ hostRelease: 'Retain' }),
  options: {},
  async live(bench) {
    const id = await heldHost(bench);
    await bench.core.deleteMachine('a');
    await bench.until('the host of a is quarantined as it is', async () => {
      const claim = await bench.api.client.find(hostClaim.resource, { name: id });
      const aside = claim?.spec.quarantine !== undefined && !claim.spec.machineRef;
      return aside && bench.vendor.find(id).name === 'retained-a' && !(await bench.find('a'));
    });
  },
};

const givenUp: Scene = {
  name: 'the host answers nobody: it is restarted, then given up',
  async before(bench) {
    bench.macs.unplug(memoryId(1));
    const life = bench.start({ flags: escalating(0, 0) });
    await begun(bench);
    await bench.until('a run has failed', async () => (await bench.find('a'))?.status?.steps?.[0]?.attempts === 1);
    bench.leave(life);
  },
  options: { flags: escalating(1, 2) },
  async live(bench) {
    await bench.until('another host is held', async () => (await heldHost(bench)) === memoryId(2));
  },
  async after(bench) {
    if (!(await ready(bench))) return;
    await bench.until('the first host is quarantined', async () => {
      const claim = await bench.api.client.find(hostClaim.resource, { name: memoryId(1) });
      return claim?.status?.quarantine !== undefined && (await heldHost(bench)) === memoryId(2);
    });
  },
};

function escalating(restartAfter: number, giveUpAfter: number): string[] {
  return [`--bootstrap-reboot-after=${restartAfter}`, `--bootstrap-max-attempts=${giveUpAfter}`];
}

export const scenes: readonly Scene[] = [wholeLife, roll, retained, givenUp];

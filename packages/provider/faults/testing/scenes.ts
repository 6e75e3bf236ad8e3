import { type Pod, pods } from '@minifleet/kube';
import type { StartOptions } from '../../program/testing/start-provider.ts';
import type { FleetBench } from './fleet-bench.ts';

/** A part of a machine's life, lived under a provider that something happens to. */
export interface Scene {
  readonly name: string;
  /** With a provider that nothing happens to; it is gone when the scene begins. */
  readonly before: (bench: FleetBench) => Promise<void>;
  readonly options: StartOptions;
  /** Ends when all is done, or when it never will be. */
  readonly live: (bench: FleetBench) => Promise<void>;
}

/** From the first look at a Cluster to a host that is back in its pool. */
const wholeLife: Scene = {
  name: 'a whole life',
  before: async () => undefined,
  options: {},
  async live(bench) {
    const { core, until } = bench;
    await core.makeCluster();
    await core.makeMachine('a');
    if (!(await until('a is Ready', () => bench.isReady('a')))) return;
    await core.deleteMachine('a');
    await until('the host of a is free again', () => bench.isReturned('a'));
  },
};

/** Another agent is wanted on a host that serves, with a VM on it. */
const roll: Scene = {
  name: 'a roll',
  async before(bench) {
    const { core, until, macs } = bench;
    const life = bench.start();
    await core.makeCluster();
    await core.makeMachine('a');
    await until('a is Ready', () => bench.isReady('a'));
    bench.leave(life);
    const id = (await bench.find('a'))?.spec.claimRef?.name ?? '';
    bench.guests.push(macs.startGuest(id));
    const spec = { nodeName: 'a', containers: [{ name: 'vm', image: 'macos' }] };
    await bench.api.client.create(pods, { metadata: { namespace: 'fleet', name: 'guest' }, spec } as Partial<Pod> as Pod);
  },
  options: { agent: 'two' },
  async live(bench) {
    const rolled = async (): Promise<boolean> => {
      const { plan, job } = (await bench.find('a'))?.status ?? {};
      return plan?.applied !== undefined && plan.applied === plan.desired && plan.applied !== first && job === undefined;
    };
    const first = (await bench.find('a'))?.status?.plan?.applied;
    await bench.until('a runs the other agent', rolled);
    await bench.until('a is Ready', () => bench.isReady('a'));
  },
};

export const scenes: readonly Scene[] = [wholeLife, roll];

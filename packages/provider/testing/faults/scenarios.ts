import { macHost } from '@minifleet/api';
import { type Pod, pods } from '@minifleet/kube';
import { memoryId } from '@minifleet/vendors/testing';
import type { ProviderStartOptions } from '../../program/testing/start-provider.ts';
import type { FleetFaultBench } from './fleet-fault-bench.ts';
import { createMachine, deleteMachine, heldHost, untilReady } from './machine-steps.ts';
import type { Scenario } from './scenario-runner.ts';

/** Part of the lifecycle of a machine. */
export type ProviderScenario = Scenario<FleetFaultBench, ProviderStartOptions>;

/** Brings a machine to Ready and stops its provider. */
const readyMachine = (spec: object) => async (bench: FleetFaultBench) => {
  const provider = bench.start();
  await createMachine(bench, spec);
  await untilReady(bench);
  bench.stop(provider);
};

const lifecycle: ProviderScenario = {
  name: 'full lifecycle of a machine',
  setUp: async () => undefined,
  options: {},
  async run(bench) {
    await createMachine(bench);
    if (await untilReady(bench)) await deleteMachine(bench);
  },
};

const agentUpgrade: ProviderScenario = {
  name: 'agent upgrade while a VM runs',
  async setUp(bench) {
    await readyMachine({})(bench);
    bench.guests.push(bench.macs.startGuest(await heldHost(bench)));
    const spec = { nodeName: 'a', containers: [{ name: 'vm', image: 'macos' }] };
    const guest: Partial<Pod> = { metadata: { namespace: 'fleet', name: 'guest' }, spec };
    await bench.api.client.create(pods, guest as Pod);
  },
  options: { agent: 'two' },
  async run(bench) {
    const before = (await bench.hostOf('a'))?.status?.plan?.applied;
    const upgraded = async (): Promise<boolean> => {
      const { plan, job } = (await bench.hostOf('a'))?.status ?? {};
      return plan?.applied !== before && plan?.applied === plan?.desired && job === undefined;
    };
    if (await bench.until('a has the new agent', upgraded)) await untilReady(bench);
  },
};

const hostRetained: ProviderScenario = {
  name: 'deletion of a machine with hostRelease Retain',
  setUp: readyMachine({ hostRelease: 'Retain' }),
  options: {},
  async run(bench) {
    const id = await heldHost(bench);
    await bench.core.deleteMachine('a');
    await bench.until('the host of a is quarantined without a reinstallation', async () => {
      const host = await bench.api.client.find(macHost.resource, { name: id });
      const quarantined = host?.spec.quarantine !== undefined && !host.spec.consumerRef;
      return quarantined && bench.vendor.find(id).name === 'retained-a' && !(await bench.find('a'));
    });
  },
};

const hostReplaced: ProviderScenario = {
  name: 'unreachable host: the provider restarts it, then replaces it',
  async setUp(bench) {
    bench.macs.unplug(memoryId(1));
    const provider = bench.start({ flags: escalation(0, 0) });
    await createMachine(bench);
    await bench.until('a bootstrap has failed', async () => (await bench.hostOf('a'))?.status?.contact?.attempts === 1);
    bench.stop(provider);
  },
  options: { flags: escalation(1, 2) },
  async run(bench) {
    await bench.until('a holds another host', async () => (await heldHost(bench)) === memoryId(2));
  },
  async verify(bench) {
    if (!(await untilReady(bench))) return;
    await bench.until('the first host is quarantined', async () => {
      const host = await bench.api.client.find(macHost.resource, { name: memoryId(1) });
      return host?.status?.quarantine !== undefined && (await heldHost(bench)) === memoryId(2);
    });
  },
};

function escalation(restartAfter: number, giveUpAfter: number): string[] {
  return [`--bootstrap-reboot-after=${restartAfter}`, `--bootstrap-max-attempts=${giveUpAfter}`];
}

export const scenarios: readonly ProviderScenario[] = [lifecycle, agentUpgrade, hostRetained, hostReplaced];

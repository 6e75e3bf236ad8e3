/** Reads a fleet through the API server, and its hosts through the vendor's console. */
import assert from 'node:assert/strict';
import { type MacHost, macHost, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { type Duration, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Condition, findCondition, type KubeObject, type Node, nodes, type Resource } from '@minifleet/kube';
import { machineDeployments } from '@minifleet/provider/testing/cluster-api';
import type { Server } from '@minifleet/world/testing/scaleway';
import type { FleetBench } from './fleet-bench.ts';
import { createKubectlDriver, type KubectlDriver } from './kubectl-driver.ts';

export type { MacHost, ScalewayAppleSiliconMachine };

/** The fields of a MachineDeployment that the tests use. */
export interface FleetDeployment extends KubeObject {
  readonly status?: {
    readonly replicas?: number;
    readonly availableReplicas?: number;
    readonly upToDateReplicas?: number;
    readonly conditions?: Condition[];
  };
}

export interface FleetDriver extends KubectlDriver {
  json<T>(...argv: readonly string[]): Promise<T>;
  machines(fleet: string): Promise<readonly ScalewayAppleSiliconMachine[]>;
  nodes(): Promise<readonly Node[]>;
  /** Every host, or those that machines of the fleet hold. */
  hosts(fleet?: string): Promise<readonly MacHost[]>;
  deployment(fleet: string): Promise<FleetDeployment>;
  /** Waits until the fleet has that many Ready Nodes, no rollout, and no job on its hosts. */
  awaitReady(fleet: string, replicas: number, within?: Duration): Promise<readonly ScalewayAppleSiliconMachine[]>;
  /** Waits until the Machine is gone. */
  awaitDeleted(machine: string): Promise<void>;
  /** Server of the machine at the vendor. */
  serverOf(machine: ScalewayAppleSiliconMachine): Server;
  /** Names of the free hosts at the vendor. */
  pool(): readonly string[];
  /** Commands on the machine's Mac since that journal entry. */
  commandsOn(machine: ScalewayAppleSiliconMachine, since: number): readonly string[];
}

const deployments: Resource<FleetDeployment> = machineDeployments;

export function createFleetDriver({
  admin,
  kubectl,
  world,
}: Pick<FleetBench, 'admin' | 'kubectl' | 'world'>): FleetDriver {
  const driver = createKubectlDriver({ admin, kubectl });
  const json = async <T>(...argv: readonly string[]): Promise<T> =>
    JSON.parse(await driver.ok('get', ...argv, '-o', 'json')) as T;
  const serverOf = ({ spec }: ScalewayAppleSiliconMachine): Server =>
    world.scaleway.console.server(spec.claimRef?.name ?? '');

  const fleet: FleetDriver = {
    ...driver,
    json,
    async machines(name) {
      const labelSelector = `cluster.x-k8s.io/deployment-name=${name}`;
      return (await admin.list(scalewayAppleSiliconMachine.resource, { namespace: 'default', labelSelector })).items;
    },
    nodes: async () => (await admin.list(nodes)).items,
    async hosts(name) {
      const { items } = await admin.list(macHost.resource);
      return items.filter(({ spec }) => name === undefined || spec.desired?.fleet === name);
    },
    deployment: name => admin.get(deployments, { namespace: 'default', name }),
    async awaitReady(name, replicas, within = seconds(180)) {
      await eventually(
        async () => {
          const deployment = await fleet.deployment(name);
          const { replicas: there, availableReplicas, upToDateReplicas } = deployment.status ?? {};
          assert.deepEqual([there, availableReplicas, upToDateReplicas], [replicas, replicas, replicas]);
          assert.equal(findCondition(deployment, 'RollingOut')?.status, 'False');
          const hosts = await fleet.hosts(name);
          return hosts.every(({ status }) => status?.job === undefined);
        },
        { what: `${replicas} Ready Nodes of ${name}`, deadline: within },
      ).catch(async (error: Error) => {
        throw new Error(`${error.message}\n${await driver.ok('get', 'samm,machines,nodes,machosts')}`, {
          cause: error,
        });
      });
      return fleet.machines(name);
    },
    async awaitDeleted(name) {
      const { code } = await kubectl.run(['wait', '--for=delete', `machine/${name}`, '--timeout=180s']);
      if (code === 0) return;
      const stuck = await Promise.all(['machine', 'samm'].map(kind => kubectl.run(['describe', kind, name])));
      assert.fail(`${name} is not deleted:\n${stuck.map(({ stdout }) => stdout).join('\n')}`);
    },
    serverOf,
    pool: () =>
      world.scaleway.console
        .servers()
        .filter(({ name, status }) => name.startsWith('tuist-pool-') && status === 'ready')
        .map(({ name }) => name)
        .toSorted(),
    commandsOn(machine, since) {
      const place = world.hosts.all.get(machine.spec.claimRef?.name ?? '')?.mac.options.name;
      return world.deps.journal.entries
        .slice(since)
        .filter(({ place: where, what }) => where === `mac/${place}` && what === 'command')
        .map(({ detail }) => detail);
    },
  };
  return fleet;
}

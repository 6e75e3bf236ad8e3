/** A fleet as a person sees it through kubectl, and its hosts as the vendor's console shows them. */
import assert from 'node:assert/strict';
import type { ScalewayAppleSiliconMachine as Samm } from '@minifleet/api';
import { type Duration, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Condition, findCondition, type KubeObject, type Node } from '@minifleet/kube';
import type { Server } from '../../packages/world/scaleway/model/server.ts';
import type { FleetBench } from './fleet-bench.ts';
import { inSentences, type KubectlInSentences } from './kubectl-in-sentences.ts';

export type { Samm };

/** Of a MachineDeployment, as far as it is looked at. */
export interface Deployment extends KubeObject {
  readonly status?: {
    readonly replicas?: number;
    readonly availableReplicas?: number;
    readonly upToDateReplicas?: number;
    readonly conditions?: Condition[];
  };
}

export interface FleetInSentences extends KubectlInSentences {
  json<T>(...argv: readonly string[]): Promise<T>;
  machines(fleet: string): Promise<readonly Samm[]>;
  nodes(): Promise<readonly Node[]>;
  deployment(fleet: string): Promise<Deployment>;
  /** Waits until the fleet is as many Ready Nodes as wanted, nothing of it comes or goes, and nobody works on its hosts. */
  serves(fleet: string, replicas: number, within?: Duration): Promise<readonly Samm[]>;
  /** Waits until a Machine that is being deleted is gone. */
  goes(machine: string): Promise<void>;
  /** Of the host a machine holds. */
  serverOf(machine: Samm): Server;
  /** Names of hosts at the vendor that are free. */
  pool(): readonly string[];
  /** Commands that anybody ran on the machine's Mac since, as the world wrote them down. */
  commandsOn(machine: Samm, since: number): readonly string[];
}

export function fleetInSentences({ kubectl, world }: Pick<FleetBench, 'kubectl' | 'world'>): FleetInSentences {
  const said = inSentences(kubectl);
  const json = async <T>(...argv: readonly string[]): Promise<T> =>
    JSON.parse(await said.ok('get', ...argv, '-o', 'json')) as T;
  const list = async <T>(...argv: readonly string[]): Promise<readonly T[]> =>
    (await json<{ readonly items: readonly T[] }>(...argv)).items;
  const serverOf = ({ spec }: Samm): Server => world.scaleway.console.server(spec.claimRef?.name ?? '');

  const fleet: FleetInSentences = {
    ...said,
    json,
    machines: name => list('samm', '-l', `cluster.x-k8s.io/deployment-name=${name}`),
    nodes: () => list('nodes'),
    deployment: name => json('machinedeployment', name),
    async serves(name, replicas, within = seconds(180)) {
      await eventually(
        async () => {
          const deployment = await fleet.deployment(name);
          const { replicas: there, availableReplicas, upToDateReplicas } = deployment.status ?? {};
          assert.deepEqual([there, availableReplicas, upToDateReplicas], [replicas, replicas, replicas]);
          assert.equal(findCondition(deployment, 'RollingOut')?.status, 'False');
          const machines = await fleet.machines(name);
          return machines.every(({ status }) => status?.job === undefined);
        },
        { what: `${name} is ${replicas} Ready Nodes`, deadline: within, interval: seconds(0.2) },
      ).catch(async (error: Error) => {
        throw new Error(`${error.message}\n${await said.ok('get', 'samm,machines,nodes,hostclaims')}`, {
          cause: error,
        });
      });
      return fleet.machines(name);
    },
    async goes(name) {
      const { code } = await kubectl.run(['wait', '--for=delete', `machine/${name}`, '--timeout=180s']);
      if (code === 0) return;
      const stuck = await Promise.all(['machine', 'samm'].map(kind => kubectl.run(['describe', kind, name])));
      assert.fail(`${name} does not go:\n${stuck.map(({ stdout }) => stdout).join('\n')}`);
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

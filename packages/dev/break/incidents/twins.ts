import { names, scalewayAppleSiliconMachine } from '@minifleet/api';
import { conditionText, hostClaims, machines, ownerMachines } from '@minifleet/cli/cluster';
import { seconds } from '@minifleet/clock';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import type { Breakage } from '../breakage.ts';
import { HOST_GONE } from '../errors.ts';
import type { Stage } from '../stage.ts';

const UNTIL_GONE = ['--ignore-not-found', '--timeout=60s'];

/** What happened to hosts that two machines wanted. */
export const twinBreakages: readonly Breakage[] = [
  {
    id: 'I13',
    title: 'a second machine is made by hand and bound to the same host',
    fleets: FLEETS,
    promise: 'the second is kept off the host and told who holds it, the claim names both, and the first serves on',
    within: seconds(90),
    async strike(stage) {
      const { client, namespace, name, serverId, kubectl } = stage;
      const twin = { namespace, name: `${name}-twin` };
      await createTwin(stage, twin);
      return {
        did: `made the Machine and machine ${twin.name}, which name the host of ${name}`,
        async look() {
          const [claim, second] = await Promise.all([
            client.find(hostClaims, { name: serverId }),
            client.find(machines, twin),
          ]);
          const held = claim && conditionText(claim, 'Held', 'False');
          const claimed = second && conditionText(second, 'HostClaimed', 'False');
          const told = held?.includes(twin.name) && claimed?.includes(`${namespace}/${name}`);
          // Or the end of the twin would drain the Node of the first.
          const harmless = second && second.spec.providerID === undefined;
          const fenced = claim?.spec.machineRef?.name === name && (await stage.isWell());
          return told && harmless && fenced
            ? { named: `${twin.name} says ${claimed}; the claim says ${held}` }
            : undefined;
        },
        async tidy() {
          await kubectl('delete', 'machines.cluster.x-k8s.io', twin.name, '-n', namespace, ...UNTIL_GONE);
        },
      };
    },
  },
];

/** As somebody does who restores objects from a backup beside those that are there. */
async function createTwin(stage: Stage, twin: { readonly namespace: string; readonly name: string }): Promise<void> {
  const { client, name, serverId } = stage;
  const samm = await stage.machine();
  const label = names.clusterApi.clusterNameLabel;
  const cluster = samm?.metadata.labels?.[label];
  if (!samm || cluster === undefined) throw HOST_GONE({ host: name, server: serverId });
  const metadata = { ...twin, labels: { [label]: cluster } };
  await client.create(machines, { metadata, spec: samm.spec });
  const { group: apiGroup, kind } = scalewayAppleSiliconMachine.resource;
  await client.create(ownerMachines, {
    metadata,
    spec: {
      clusterName: cluster,
      bootstrap: { dataSecretName: 'no-bootstrap-data' },
      infrastructureRef: { apiGroup, kind, name: twin.name },
    },
  } as never);
}

import { scalewayAppleSiliconMachineTemplate } from '@minifleet/api';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { type FleetMachineDeployment, machineDeployments, machines } from '@minifleet/cli/cluster';
import { type NewObject, secrets } from '@minifleet/kube';
import { isAvailable } from '../../up/fleets/describe-fleet.ts';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import type { Stage } from '../stage.ts';

const NAME = 'oldest';
/** All that the oldest template of the operators says: not even a pool. Its fleet is its own, so that nobody strikes it. */
const OLDEST = { type: 'M2-L', zone: 'fr-par-1', os: 'macos-tahoe-26.3', fleetName: NAME };

/** What happened to templates. */
export const templateBreakages: readonly Breakage[] = [
  {
    id: 'I36',
    title: 'a fleet grows from a template that is older than most fields',
    fleets: ['macos', 'runners'],
    promise: 'the template is cloned, defaults fill the machine, and it becomes a Ready Node',
    // It takes the free Mac of the pool, which others may have.
    within: HEALED_WITHIN,
    async strike(stage) {
      const { client, namespace, kubectl } = stage;
      await createFleet(stage);
      return {
        did: `made the fleet ${NAME} of one Mac, from a template of ${Object.keys(OLDEST).join(', ')}`,
        async look() {
          const fleet = await client.find(machineDeployments, { namespace, name: NAME });
          const samm = (await client.list(machines, { namespace })).items.find(isCloned);
          return fleet && samm && isAvailable(fleet) && (fleet.status?.readyReplicas ?? 0) > 0
            ? {
                healed: `${samm.metadata.name} was cloned, with hostRelease ${samm.spec.hostRelease}, and is a Ready Node`,
              }
            : undefined;
        },
        async tidy() {
          const remove = ['delete', '-n', namespace, '--ignore-not-found', '--timeout=150s', '--cascade=foreground'];
          await kubectl(...remove, 'machinedeployment', NAME);
          await kubectl(...remove, 'scalewayapplesiliconmachinetemplate,secret', NAME, `${NAME}-ssh`);
        },
      };
    },
  },
];

const isCloned = ({ metadata }: ScalewayAppleSiliconMachine): boolean =>
  metadata.annotations?.['cluster.x-k8s.io/cloned-from-name'] === NAME;

/** Like the fleet of the host that is struck, with its key: the Macs of the pool know no other. */
async function createFleet(stage: Stage): Promise<void> {
  const { client, namespace } = stage;
  const like = (await stage.machine())?.spec.fleetName ?? '';
  const { data } = await client.get(secrets, { namespace, name: `${like}-ssh` });
  await client.create(secrets, { metadata: { namespace, name: `${NAME}-ssh` }, ...(data ? { data } : {}) });
  const metadata = { namespace, name: NAME };
  await client.create(scalewayAppleSiliconMachineTemplate.resource, {
    metadata,
    spec: { template: { spec: OLDEST } },
  } as never);
  const { spec } = structuredClone(await client.get(machineDeployments, { namespace, name: like }));
  Object.assign(spec?.template?.spec?.infrastructureRef ?? {}, { name: NAME });
  const fleet: NewObject<FleetMachineDeployment> = { metadata, spec: { ...spec, ...{ replicas: 1, selector: {} } } };
  await client.create(machineDeployments, fleet);
}

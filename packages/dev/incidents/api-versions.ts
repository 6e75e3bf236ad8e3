import { scalewayAppleSiliconMachineTemplate } from '@minifleet/api';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { type FleetMachineDeployment, machineDeployments, machines } from '@minifleet/cli/cluster';
import { type NewObject, secrets } from '@minifleet/kube';
import { isAvailable } from '../up/fleets/describe-fleet.ts';
import type { FaultTarget } from './fault-target.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';

const NAME = 'oldest';
/** All fields of the operators' oldest template, which names no pool. It has a fleet of its own, so that `break` never chooses its host. */
const OLDEST = { type: 'M2-L', zone: 'fr-par-1', os: 'macos-tahoe-26.3', fleetName: NAME };

const isCloned = ({ metadata }: ScalewayAppleSiliconMachine): boolean =>
  metadata.annotations?.['cluster.x-k8s.io/cloned-from-name'] === NAME;

/** Creates a fleet like that of the target, with its key, because the Macs of the pool accept no other key. */
async function createFleet(target: FaultTarget): Promise<void> {
  const { client, namespace } = target;
  const like = (await target.machine())?.spec.fleetName ?? '';
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

/** Incidents with changes of the API between releases. */
export const apiVersionIncidents: readonly Incident[] = [
  {
    id: 'I21',
    title: 'a rollback to a chart before a required field leaves the release stuck',
    coveredBy:
      'charts/testing/releases.contract.ts › I21 W18 a failed atomic upgrade rolls back to a revision of an older chart without blocking the release',
    live: { notOnHosts: 'A stuck rollback affects a Helm release, not a host.' },
  },
  {
    id: 'I36',
    title: 'a required field is added to a CRD whose objects are cloned',
    live: {
      fault: 'a fleet grows from a template that is older than most fields',
      fleets: ['macos', 'runners'],
      expected: 'the template is cloned, defaults fill the machine, and it becomes a Ready Node',
      // It takes the free Mac of the pool, which another fault may use.
      within: REPAIRED_WITHIN,
      async inject(target) {
        const { client, namespace, kubectl } = target;
        await createFleet(target);
        return {
          action: `created the fleet ${NAME} with one Mac, from a template with only ${Object.keys(OLDEST).join(', ')}`,
          async check() {
            const fleet = await client.find(machineDeployments, { namespace, name: NAME });
            const machine = (await client.list(machines, { namespace })).items.find(isCloned);
            if (!fleet || !machine || !isAvailable(fleet) || (fleet.status?.readyReplicas ?? 0) === 0) return undefined;
            const { metadata, spec } = machine;
            return { repaired: `${metadata.name} was cloned with hostRelease ${spec.hostRelease} and is a Ready Node` };
          },
          async cleanUp() {
            const remove = ['delete', '-n', namespace, '--ignore-not-found', '--timeout=150s', '--cascade=foreground'];
            await kubectl(...remove, 'machinedeployment', NAME);
            await kubectl(...remove, 'scalewayapplesiliconmachinetemplate,secret', NAME, `${NAME}-ssh`);
          },
        };
      },
    },
  },
];

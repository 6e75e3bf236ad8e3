import { type InfraMachine, machineKinds } from '@minifleet/api';
import type { Client, Context, ObjectKey } from '@minifleet/kube';
import type { MachineIndex } from './machine-indexes.ts';

const BY_NAME: MachineIndex = 'machine-name';

/** Machines of every kind and namespace with this name, from the caches. */
export const machinesNamed = ({ cache }: Pick<Context, 'cache'>, name: string): readonly InfraMachine[] =>
  machineKinds.flatMap(({ resource }) => cache(resource).by(BY_NAME, name));

/** Machines of every kind with this key, from the API server. */
export async function findMachines(client: Client, key: ObjectKey): Promise<readonly InfraMachine[]> {
  const found = await Promise.all(machineKinds.map(({ resource }) => client.find(resource, key)));
  return found.filter(machine => machine !== undefined);
}

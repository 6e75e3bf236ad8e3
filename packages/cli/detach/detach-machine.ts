import { names } from '@minifleet/api';
import { formatDuration } from '@minifleet/clock';
import { type Client, deleting, isNotFound } from '@minifleet/kube';
import { DETACH_NOT_OVER, HOST_GOES_BACK_ALREADY } from '../cluster/errors.ts';
import { requireHost } from '../cluster/find-host.ts';
import {
  conditionText,
  getMachine,
  nameOf,
  ownerMachines,
  ownerOf,
  type ScalewayAppleSiliconMachine,
} from '../cluster/machines.ts';
import { hostClaims, machines } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import type { DetachOptions } from './detach-command.ts';
import { waitForDeletion } from './wait-for-deletion.ts';

/**
 * Deletes a machine and keeps its host (I11). The wish to keep it is written before the deletion and read by whoever carries that
 * out, so there is no moment in which the machine lives without its host and claims another.
 */
export async function detachMachine(name: string, options: DetachOptions, context: CliContext): Promise<void> {
  const { output } = context;
  await withCluster(options, context, async client => {
    const machine = await getMachine(client, { name, namespace: options.namespace });
    const id = requireHost(machine);
    refuseIfTooLate(machine);
    await retain(client, machine, { who: context.who, dryRun: options.dryRun ?? false });
    if (options.dryRun) return void output.write(`${planned(machine, id, options)}Nothing was changed.\n`);
    if (options.keepMachine) return void output.write(keptWords(machine, id));
    output.write(`${nameOf(machine)} will leave its host ${id} as it is\n`);
    await remove(client, machine);
    await watch(client, machine, { options, context });
    output.write(await endWords(client, machine, id));
  });
}

function refuseIfTooLate(machine: ScalewayAppleSiliconMachine): void {
  if (!deleting(machine) || machine.spec.hostRelease === 'Retain') return;
  throw HOST_GOES_BACK_ALREADY({
    machine: nameOf(machine),
    why: conditionText(machine, 'Deleting', 'True') ?? 'it begins just now',
  });
}

/** On a dry run the API server checks it, too, and keeps nothing. */
async function retain(
  client: Client,
  { metadata }: ScalewayAppleSiliconMachine,
  { who, dryRun }: { readonly who: string; readonly dryRun: boolean },
): Promise<void> {
  const annotations = { [names.annotations.requestedBy]: who };
  // Of this very object: one made again under the same name is another machine.
  const body = { metadata: { uid: metadata.uid, annotations }, spec: { hostRelease: 'Retain' } };
  await client.patch(machines, metadata, { type: 'merge', body }, { dryRun });
}

/** Core's Machine goes first and takes this object along; without one the object itself is deleted. */
async function remove(client: Client, machine: ScalewayAppleSiliconMachine): Promise<void> {
  const { namespace = '', uid = '' } = machine.metadata;
  const owner = ownerOf(machine);
  try {
    if (owner) {
      await client.delete(ownerMachines, { namespace, name: owner.name }, { preconditions: { uid: owner.uid } });
    } else {
      await client.delete(machines, machine.metadata, { preconditions: { uid } });
    }
  } catch (error) {
    // Gone or deleted anew: what is left of it is seen while waiting.
    if (!isNotFound(error)) throw error;
  }
}

interface DetachWatchDeps {
  readonly options: DetachOptions;
  readonly context: CliContext;
}

async function watch(
  client: Client,
  machine: ScalewayAppleSiliconMachine,
  { options, context }: DetachWatchDeps,
): Promise<void> {
  let where = 'its deletion has not begun';
  const tell = (words: string): void => {
    if (words === where) return;
    where = words;
    context.output.write(`  ${words}\n`);
  };
  const gone = await waitForDeletion(client, machine, { context, timeout: options.timeout, tell });
  if (gone) return;
  throw DETACH_NOT_OVER({ machine: nameOf(machine), timeout: formatDuration(options.timeout), where });
}

function planned(machine: ScalewayAppleSiliconMachine, id: string, { keepMachine }: DetachOptions): string {
  const owner = ownerOf(machine);
  const last = keepMachine
    ? ''
    : `- delete ${owner ? `its Machine ${owner.name}` : 'it'}: its Node is drained and goes, ${replacement(machine)}\n`;
  return `What would be done to ${nameOf(machine)}:
- set hostRelease: Retain on it, so that its host ${id} is neither wiped nor given to others
${last}Only the agent is taken off the host, or it would register its Node again.
`;
}

const replacement = ({ metadata }: ScalewayAppleSiliconMachine): string => {
  const fleet = metadata.labels?.[names.clusterApi.deploymentNameLabel];
  return fleet === undefined
    ? 'nothing takes its place'
    : `and ${fleet} makes another machine, which takes another host; to be spared that, scale it down`;
};

const keptWords = (machine: ScalewayAppleSiliconMachine, id: string): string =>
  `${nameOf(machine)} lives on; whenever it is deleted, its host ${id} is left as it is (hostRelease: Retain)\n`;

/** In the claim's own words: the provider wrote there what became of the host, and how it is given back. */
async function endWords(client: Client, machine: ScalewayAppleSiliconMachine, id: string): Promise<string> {
  const claim = await client.find(hostClaims, { name: id });
  const reason = claim?.spec.quarantine?.reason;
  const kept = reason === undefined ? 'nothing here holds it any more' : reason;
  return `${nameOf(machine)} is gone. Its host ${id}: ${kept}\n`;
}

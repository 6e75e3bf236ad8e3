import { names } from '@minifleet/api';
import { formatDuration } from '@minifleet/clock';
import { type Client, deleting, isNotFound } from '@minifleet/kube';
import { DETACH_TIMEOUT, HOST_RELEASE_IN_PROGRESS } from '../cluster/errors.ts';
import { requireHost } from '../cluster/find-host.ts';
import { conditionText, getMachine, type InfraMachine, nameOf, ownerMachines, ownerOf } from '../cluster/machines.ts';
import { macHosts, resourceOf } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import type { DetachOptions } from './detach-command.ts';
import { waitForDeletion } from './wait-for-deletion.ts';

/**
 * Deletes a machine and keeps its host (I11). `hostRelease: Retain` is written before the deletion and read by the provider when
 * it handles the deletion. At no time does the machine exist without its host and claim another one.
 */
export async function detachMachine(name: string, options: DetachOptions, context: CliContext): Promise<void> {
  const { output } = context;
  await withCluster(options, context, async client => {
    const machine = await getMachine(client, { name, namespace: options.namespace });
    const id = requireHost(machine);
    refuseIfTooLate(machine);
    await retain(client, machine, { who: context.who, dryRun: options.dryRun ?? false });
    if (options.dryRun) return void output.write(`${planned(machine, id, options)}Nothing was changed.\n`);
    if (options.keepMachine) return void output.write(keptMessage(machine, id));
    output.write(`Detaching ${nameOf(machine)} from host ${id}; the host stays unchanged\n`);
    await remove(client, machine);
    await watch(client, machine, { options, context });
    output.write(await finalMessage(client, machine, id));
  });
}

function refuseIfTooLate(machine: InfraMachine): void {
  if (!deleting(machine) || machine.spec.hostRelease === 'Retain') return;
  throw HOST_RELEASE_IN_PROGRESS({
    machine: nameOf(machine),
    why: conditionText(machine, 'Deleting', 'True') ?? 'just started',
  });
}

/** Sets `hostRelease: Retain`. In a dry run the API server validates the patch and stores nothing. */
async function retain(
  client: Client,
  machine: InfraMachine,
  { who, dryRun }: { readonly who: string; readonly dryRun: boolean },
): Promise<void> {
  const { metadata } = machine;
  const annotations = { [names.annotations.requestedBy]: who };
  // The UID makes sure that the patch does not change a new machine with the same name.
  const body = { metadata: { uid: metadata.uid, annotations }, spec: { hostRelease: 'Retain' } };
  await client.patch(resourceOf(machine), metadata, { type: 'merge', body }, { dryRun });
}

/** Deletes the Cluster API Machine, which deletes this object with it. Without one, deletes the object itself. */
async function remove(client: Client, machine: InfraMachine): Promise<void> {
  const { namespace = '', uid = '' } = machine.metadata;
  const owner = ownerOf(machine);
  try {
    if (owner) {
      await client.delete(ownerMachines, { namespace, name: owner.name }, { preconditions: { uid: owner.uid } });
    } else {
      await client.delete(resourceOf(machine), machine.metadata, { preconditions: { uid } });
    }
  } catch (error) {
    // Already deleted, or replaced: waitForDeletion observes what is left.
    if (!isNotFound(error)) throw error;
  }
}

interface DetachWatchDeps {
  readonly options: DetachOptions;
  readonly context: CliContext;
}

async function watch(client: Client, machine: InfraMachine, { options, context }: DetachWatchDeps): Promise<void> {
  let status = 'deletion not started';
  const report = (latest: string): void => {
    if (latest === status) return;
    status = latest;
    context.output.write(`  ${latest}\n`);
  };
  const deleted = await waitForDeletion(client, machine, { context, timeout: options.timeout, report });
  if (deleted) return;
  throw DETACH_TIMEOUT({ machine: nameOf(machine), timeout: formatDuration(options.timeout), where: status });
}

function planned(machine: InfraMachine, id: string, { keepMachine }: DetachOptions): string {
  const owner = ownerOf(machine);
  const last = keepMachine
    ? ''
    : `- delete ${owner ? `its Cluster API Machine ${owner.name}` : 'the object'}; its Node is drained and deleted, ${replacement(machine)}\n`;
  return `Planned changes to ${nameOf(machine)}:
- set hostRelease: Retain, so that its host ${id} is neither wiped nor returned to the pool
${last}On the host only the agent is removed, because it would register the Node again.
`;
}

const replacement = ({ metadata }: InfraMachine): string => {
  const fleet = metadata.labels?.[names.clusterApi.deploymentNameLabel];
  return fleet === undefined
    ? 'and not replaced'
    : `and ${fleet} creates another machine with another host (scale ${fleet} down to prevent this)`;
};

const keptMessage = (machine: InfraMachine, id: string): string =>
  `${nameOf(machine)} set to hostRelease: Retain; its host ${id} stays unchanged when the machine is deleted\n`;

/** Quotes the quarantine reason that the provider wrote into the MacHost: it says what happened to the host and how to return it. */
async function finalMessage(client: Client, machine: InfraMachine, id: string): Promise<string> {
  const host = await client.find(macHosts, { name: id });
  const kept = host ? 'not quarantined; a machine can claim it' : 'its MacHost no longer exists';
  return `${nameOf(machine)} deleted. Host ${id}: ${host?.spec.quarantine?.reason ?? kept}\n`;
}

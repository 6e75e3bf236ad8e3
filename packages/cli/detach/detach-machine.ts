import { names } from '@minifleet/api';
import { formatDuration } from '@minifleet/clock';
import { type Client, deleting, isNotFound } from '@minifleet/kube';
import { DETACH_NOT_OVER, HOST_GOES_BACK_ALREADY } from '../cluster/errors.ts';
import { heldBy } from '../cluster/find-host.ts';
import { coreMachines, getMachine, nameOf, ownerOf, type Samm, saying } from '../cluster/machines.ts';
import { hostClaims, machines } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import type { DetachOptions } from './detach-command.ts';
import { untilGone } from './until-gone.ts';

/**
 * Deletes a machine and keeps its host (I11). The wish to keep it is written before the deletion and read by whoever carries that
 * out, so there is no moment in which the machine lives without its host and claims another.
 */
export async function detachMachine(name: string, options: DetachOptions, around: CliContext): Promise<void> {
  const { output } = around;
  await withCluster(options, around, async client => {
    const samm = await getMachine(client, { name, namespace: options.namespace });
    const id = heldBy(samm);
    refuseIfTooLate(samm);
    await retain(client, samm, { who: around.who, dryRun: options.dryRun ?? false });
    if (options.dryRun) return void output.write(`${planned(samm, id, options)}Nothing was changed.\n`);
    if (options.keepMachine) return void output.write(keptWords(samm, id));
    output.write(`${nameOf(samm)} will leave its host ${id} as it is\n`);
    await remove(client, samm);
    await watch(client, samm, { options, around });
    output.write(await endWords(client, samm, id));
  });
}

function refuseIfTooLate(samm: Samm): void {
  if (!deleting(samm) || samm.spec.hostRelease === 'Retain') return;
  throw HOST_GOES_BACK_ALREADY({
    machine: nameOf(samm),
    why: saying(samm, 'Deleting', 'True') ?? 'it begins just now',
  });
}

/** On a dry run the API server checks it, too, and keeps nothing. */
async function retain(
  client: Client,
  { metadata }: Samm,
  { who, dryRun }: { readonly who: string; readonly dryRun: boolean },
): Promise<void> {
  const annotations = { [names.annotations.requestedBy]: who };
  // Of this very object: one made again under the same name is another machine.
  const body = { metadata: { uid: metadata.uid, annotations }, spec: { hostRelease: 'Retain' } };
  await client.patch(machines, metadata, { type: 'merge', body }, { dryRun });
}

/** Core's Machine goes first and takes this object along; without one the object itself is deleted. */
async function remove(client: Client, samm: Samm): Promise<void> {
  const { namespace = '', uid = '' } = samm.metadata;
  const owner = ownerOf(samm);
  try {
    if (owner) {
      await client.delete(coreMachines, { namespace, name: owner.name }, { preconditions: { uid: owner.uid } });
    } else {
      await client.delete(machines, samm.metadata, { preconditions: { uid } });
    }
  } catch (error) {
    // Gone or deleted anew: what is left of it is seen while waiting.
    if (!isNotFound(error)) throw error;
  }
}

interface Watching {
  readonly options: DetachOptions;
  readonly around: CliContext;
}

async function watch(client: Client, samm: Samm, { options, around }: Watching): Promise<void> {
  let where = 'its deletion has not begun';
  const tell = (words: string): void => {
    if (words === where) return;
    where = words;
    around.output.write(`  ${words}\n`);
  };
  const gone = await untilGone(client, samm, { around, timeout: options.timeout, tell });
  if (gone) return;
  throw DETACH_NOT_OVER({ machine: nameOf(samm), timeout: formatDuration(options.timeout), where });
}

function planned(samm: Samm, id: string, { keepMachine }: DetachOptions): string {
  const owner = ownerOf(samm);
  const last = keepMachine
    ? ''
    : `- delete ${owner ? `its Machine ${owner.name}` : 'it'}: its Node is drained and goes, ${replacement(samm)}\n`;
  return `What would be done to ${nameOf(samm)}:
- set hostRelease: Retain on it, so that its host ${id} is neither wiped nor given to others
${last}Only the agent is taken off the host, or it would register its Node again.
`;
}

const replacement = ({ metadata }: Samm): string => {
  const fleet = metadata.labels?.[names.clusterApi.deploymentNameLabel];
  return fleet === undefined
    ? 'nothing takes its place'
    : `and ${fleet} makes another machine, which takes another host; to be spared that, scale it down`;
};

const keptWords = (samm: Samm, id: string): string =>
  `${nameOf(samm)} lives on; whenever it is deleted, its host ${id} is left as it is (hostRelease: Retain)\n`;

/** In the claim's own words: the provider wrote there what became of the host, and how it is given back. */
async function endWords(client: Client, samm: Samm, id: string): Promise<string> {
  const claim = await client.find(hostClaims, { name: id });
  const reason = claim?.spec.quarantine?.reason;
  const kept = reason === undefined ? 'nothing here holds it any more' : reason;
  return `${nameOf(samm)} is gone. Its host ${id}: ${kept}\n`;
}

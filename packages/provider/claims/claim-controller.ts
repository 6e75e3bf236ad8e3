import { type HostClaim, scalewayAppleSiliconMachine } from '@minifleet/api';
import {
  againIn,
  type Context,
  changedBesidesStatus,
  defineController,
  deleteExact,
  mapped,
  type ObjectKey,
  type Outcome,
  patching,
  setCondition,
  settled,
} from '@minifleet/kube';
import type { ProviderSettings } from '../program/settings.ts';
import { isInScope } from './in-scope.ts';
import { type ClaimVerdict, type ClaimView, judgeClaim } from './judge-claim.ts';
import { letGo } from './let-go.ts';
import { hostsNamedBy } from './named-hosts.ts';
import { sameHold } from './release-host.ts';
import { hostClaims } from './write-claim.ts';

const machines = scalewayAppleSiliconMachine.resource;

export interface ClaimControllerOptions {
  readonly settings: Pick<ProviderSettings, 'namespace'>;
  readonly clusterId: string;
}

/** Says what a claim is worth, lets go of those that hold nothing, ends a quarantine when its time is over. It asks the vendor nothing. */
export const claimController = (options: ClaimControllerOptions) =>
  defineController<HostClaim>({
    name: 'host-claim',
    resource: hostClaims,
    // All machines of the namespace, whatever their watch filter: one that is not seen would look gone.
    watches: [
      mapped(
        machines,
        machine => hostsNamedBy(machine).map(name => ({ name })),
        options.settings.namespace === undefined ? undefined : { namespace: options.settings.namespace },
        (previous, machine) =>
          changedBesidesStatus(previous, machine) || previous.status?.serverID !== machine.status?.serverID,
      ),
    ],
    wakeOn: isNewsOfClaim,
    reconcile: (context, key) => reconcileClaim(context, key, options),
  });

/** Conditions follow from the rest; what others write into the status besides them is news. */
export const isNewsOfClaim = (previous: HostClaim, claim: HostClaim): boolean =>
  changedBesidesStatus(previous, claim) || noticed(previous) !== noticed(claim);

const noticed = ({ status }: HostClaim): string => JSON.stringify([status?.vendorName, status?.quarantine]);

async function reconcileClaim(
  context: Context,
  { name }: ObjectKey,
  options: ClaimControllerOptions,
): Promise<Outcome> {
  const claim = context.cache(hostClaims).get({ name });
  if (!claim || !isInScope(claim, options.settings)) return settled();
  const verdict = judgeClaim(viewOf(context, claim, options));
  if (await ends(context, claim, verdict)) return settled();
  await patching(context, { resource: hostClaims, object: claim }, async draft => {
    for (const note of verdict.conditions) setCondition(draft, note, context.clock);
    draft.status ??= {};
    if (verdict.quarantineOver) delete draft.status.quarantine;
    if (draft.metadata.generation !== undefined) draft.status.observedGeneration = draft.metadata.generation;
  });
  return verdict.again === undefined ? settled() : againIn(verdict.again, 'the state of the claim changes with time');
}

function viewOf({ cache, clock }: Context, claim: HostClaim, { clusterId }: ClaimControllerOptions): ClaimView {
  const { machineRef } = claim.spec;
  const named = machineRef && cache(machines).get(machineRef);
  const holder = named?.metadata.uid === machineRef?.uid ? named : undefined;
  const others = cache(machines)
    .list()
    .filter(machine => machine !== named && hostsNamedBy(machine).includes(claim.metadata.name));
  return { claim, holder, others, clusterId, now: clock.now() };
}

/** Whether the claim, as it was seen, is no more. */
async function ends(context: Context, claim: HostClaim, { fate }: ClaimVerdict): Promise<boolean> {
  if (fate === 'remove') await deleteExact(context.client, hostClaims, claim, { unchanged: true });
  if (fate !== 'let go') return fate === 'remove';
  if (!(await confirmed(context, claim))) return false;
  return letGo(context.client, claim.metadata.name, { still: sameHold(claim) });
}

/**
 * A holder that names another host took this one beside it, in a process that was no longer the leader. Read afresh: the cache may
 * still show the host it had before. Nothing was done at the vendor, because that begins only when spec.claimRef is written.
 */
async function confirmed({ client }: Context, { metadata, spec }: HostClaim): Promise<boolean> {
  if (!spec.machineRef || metadata.deletionTimestamp) return true;
  const holder = await client.find(machines, spec.machineRef);
  const named = holder?.metadata.uid === spec.machineRef.uid ? holder.spec.claimRef?.name : undefined;
  return named !== undefined && named !== metadata.name;
}

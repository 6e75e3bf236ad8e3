import { type HostClaim, names } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { type Client, isAlreadyExists, isNotFound } from '@minifleet/kube';
import { HOST_NOT_CLAIMED_YET } from '../cluster/errors.ts';
import { type FoundHost, findHost } from '../cluster/find-host.ts';
import { hostOf, listMachines, nameOf, type ScalewayAppleSiliconMachine } from '../cluster/machines.ts';
import { hostClaims } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import type { QuarantineOptions } from './quarantine-commands.ts';

/** Quarantines a host in its HostClaim, and creates the claim if there is none. */
export async function quarantineHost(name: string, options: QuarantineOptions, context: CliContext): Promise<void> {
  const { reason, zone, namespace } = options;
  const claim = await withCluster(options, context, async client => {
    const host = await findHost(client, { name, namespace });
    return quarantine(client, { ...host, zone: host.zone ?? zone }, { reason, context });
  });
  context.output.write(resultMessage(claim));
}

interface QuarantineInput {
  readonly reason: string;
  readonly context: CliContext;
}

async function quarantine(client: Client, host: FoundHost, input: QuarantineInput): Promise<HostClaim> {
  try {
    return host.claim ? await mark(client, host.claim, input) : await create(client, host, input);
  } catch (error) {
    // The claim was created or deleted in the meantime: retry on the current state.
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
    const claim = await client.find(hostClaims, { name: host.id });
    return claim ? mark(client, claim, input) : create(client, host, input);
  }
}

/** Patches only the quarantine, so that a machine that claims the host in the meantime is not affected. */
const mark = (
  client: Client,
  { metadata, spec }: HostClaim,
  { reason, context }: QuarantineInput,
): Promise<HostClaim> =>
  client.patch(hostClaims, metadata, {
    type: 'merge',
    body: {
      metadata: { annotations: asker(context) },
      spec: { quarantine: { reason, since: spec.quarantine?.since ?? timestamp(context.clock.now()) } },
    },
  });

async function create(
  client: Client,
  { id, zone }: FoundHost,
  { reason, context }: QuarantineInput,
): Promise<HostClaim> {
  if (zone === undefined) {
    throw new UsageError(`${id}: zone unknown (the host was never claimed); add --zone, for example --zone fr-par-1`);
  }
  // A claim without a machine would lock a machine of the older system out of its own host.
  const holder = (await listMachines(client, undefined)).find(machine => isNamedBy(machine, id));
  if (holder) throw HOST_NOT_CLAIMED_YET({ machine: nameOf(holder), host: id });
  return client.create(hostClaims, {
    metadata: { name: id, annotations: asker(context) },
    spec: { zone, claimEpoch: 1, quarantine: { reason, since: timestamp(context.clock.now()) } },
  });
}

const isNamedBy = (machine: ScalewayAppleSiliconMachine, id: string): boolean =>
  hostOf(machine) === id || machine.status?.serverID === id;

const asker = ({ who }: CliContext): Record<string, string> => ({ [names.annotations.requestedBy]: who });

function resultMessage({ metadata: { name }, spec: { zone, machineRef } }: HostClaim): string {
  const held = machineRef
    ? `${machineRef.namespace}/${machineRef.name} keeps using the host. Once it releases the host, no other machine claims it.
To detach the host now and keep it unchanged: minifleet detach ${machineRef.name} -n ${machineRef.namespace}
`
    : '';
  return `${name} (${zone}) quarantined; no machine claims it.
${held}To end the quarantine: minifleet release ${name}
`;
}

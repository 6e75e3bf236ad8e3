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

/** Puts a host aside by its claim, and makes one for a host that has none. */
export async function quarantineHost(name: string, options: QuarantineOptions, context: CliContext): Promise<void> {
  const { reason, zone, namespace } = options;
  const claim = await withCluster(options, context, async client => {
    const host = await findHost(client, { name, namespace });
    return putAside(client, { ...host, zone: host.zone ?? zone }, { reason, context });
  });
  context.output.write(words(claim));
}

interface QuarantineInput {
  readonly reason: string;
  readonly context: CliContext;
}

async function putAside(client: Client, host: FoundHost, asked: QuarantineInput): Promise<HostClaim> {
  try {
    return host.claim ? await mark(client, host.claim, asked) : await create(client, host, asked);
  } catch (error) {
    // It came or went in the meantime: what is there now counts.
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
    const claim = await client.find(hostClaims, { name: host.id });
    return claim ? mark(client, claim, asked) : create(client, host, asked);
  }
}

/** Whoever holds it meanwhile is not touched: the patch has this field alone. */
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
    throw new UsageError(
      `${id} was never claimed, so nobody here knows where it stands: add --zone, for example --zone fr-par-1`,
    );
  }
  // A claim that nobody holds would keep a machine of the older system off its own host.
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

function words({ metadata: { name }, spec: { zone, machineRef } }: HostClaim): string {
  const held = machineRef
    ? `${machineRef.namespace}/${machineRef.name} holds it and goes on as before. Once it lets the host go, no other machine gets it;
to free it now and keep it as it is: minifleet detach ${machineRef.name} -n ${machineRef.namespace}
`
    : '';
  return `${name} (${zone}) is put aside: no machine gets it.
${held}To let machines have it again: minifleet release ${name}
`;
}

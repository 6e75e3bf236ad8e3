import { type HostClaim, names } from '@minifleet/api';
import { type Client, isNotFound } from '@minifleet/kube';
import { findHost } from '../cluster/find-host.ts';
import { hostClaims } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import type { ReleaseOptions } from './quarantine-commands.ts';

/** Ends a quarantine, whoever asked for it: a person, or the host's own record of failures. */
export async function releaseHost(name: string, options: ReleaseOptions, context: CliContext): Promise<void> {
  await withCluster(options, context, async client => {
    const { id, claim } = await findHost(client, { name, namespace: options.namespace });
    const reasons = claim ? reasonsOf(claim) : [];
    if (!claim || reasons.length === 0) {
      context.output.write(`${id} is not put aside; nothing was done\n`);
      return;
    }
    await lift(client, claim);
    context.output.write(words(claim, reasons));
  });
}

function reasonsOf({ spec, status }: HostClaim): string[] {
  const record = status?.quarantine;
  return [
    ...(spec.quarantine ? [spec.quarantine.reason] : []),
    ...(record ? [`it failed too often: ${record.reasons.join(', ')}`] : []),
  ];
}

/** The record first: with the wish gone and nothing else to keep, the provider removes the whole claim. */
async function lift(client: Client, { metadata, spec, status }: HostClaim): Promise<void> {
  try {
    if (status?.quarantine) {
      const body = { status: { quarantine: null } };
      await client.patch(hostClaims, metadata, { type: 'merge', body }, { subresource: 'status' });
    }
    if (spec.quarantine) {
      const body = { metadata: { annotations: { [names.annotations.requestedBy]: null } }, spec: { quarantine: null } };
      await client.patch(hostClaims, metadata, { type: 'merge', body });
    }
  } catch (error) {
    // A claim that is gone holds nothing back.
    if (!isNotFound(error)) throw error;
  }
}

function words({ metadata, spec: { machineRef } }: HostClaim, reasons: readonly string[]): string {
  const by = metadata.annotations?.[names.annotations.requestedBy];
  const next = machineRef
    ? `${machineRef.namespace}/${machineRef.name} holds it; it is as any other host from now on`
    : 'machines get it again once its name at the vendor is one of their pool';
  return `${metadata.name} is no longer put aside: ${next}.
It had been${by === undefined ? '' : `, by ${by}`}, because: ${reasons.join('; ')}
`;
}

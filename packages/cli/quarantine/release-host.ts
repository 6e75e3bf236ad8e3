import { type HostClaim, names } from '@minifleet/api';
import { type Client, isNotFound } from '@minifleet/kube';
import { findHost } from '../cluster/find-host.ts';
import { hostClaims } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import type { ReleaseOptions } from './quarantine-commands.ts';

/** Ends a quarantine that an operator requested, or that followed from repeated failures. */
export async function releaseHost(name: string, options: ReleaseOptions, context: CliContext): Promise<void> {
  await withCluster(options, context, async client => {
    const { id, claim } = await findHost(client, { name, namespace: options.namespace });
    const reasons = claim ? reasonsOf(claim) : [];
    if (!claim || reasons.length === 0) {
      context.output.write(`${id} is not quarantined; nothing was changed\n`);
      return;
    }
    await lift(client, claim);
    context.output.write(releaseMessage(claim, reasons));
  });
}

function reasonsOf({ spec, status }: HostClaim): string[] {
  const record = status?.quarantine;
  return [
    ...(spec.quarantine ? [spec.quarantine.reason] : []),
    ...(record ? [`repeated failures (${record.reasons.join(', ')})`] : []),
  ];
}

/** Removes the status first: once the spec has no quarantine and nothing else to keep, the provider deletes the claim. */
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
    // A deleted claim quarantines nothing.
    if (!isNotFound(error)) throw error;
  }
}

function releaseMessage({ metadata, spec: { machineRef } }: HostClaim, reasons: readonly string[]): string {
  const by = metadata.annotations?.[names.annotations.requestedBy];
  const next = machineRef
    ? `it stays claimed by ${machineRef.namespace}/${machineRef.name}`
    : 'machines can claim it once its name at the vendor has the pool prefix';
  return `${metadata.name} released from quarantine; ${next}.
It was quarantined${by === undefined ? '' : ` by ${by}`} (${reasons.join('; ')})
`;
}

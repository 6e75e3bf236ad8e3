import { type MacHost, names } from '@minifleet/api';
import type { Client } from '@minifleet/kube';
import { findHost } from '../cluster/find-host.ts';
import { consumerOf } from '../cluster/hosts.ts';
import { macHosts } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import type { ReleaseOptions } from './quarantine-commands.ts';

/** Ends a quarantine that an operator requested, or that followed from repeated failures. */
export async function releaseHost(name: string, options: ReleaseOptions, context: CliContext): Promise<void> {
  await withCluster(options, context, async client => {
    const host = await findHost(client, { name, namespace: options.namespace });
    const reasons = reasonsOf(host);
    if (reasons.length === 0) {
      context.output.write(`${host.metadata.name} is not quarantined; nothing was changed\n`);
      return;
    }
    await lift(client, host);
    context.output.write(releaseMessage(host, reasons));
  });
}

function reasonsOf({ spec, status }: MacHost): string[] {
  const record = status?.quarantine;
  return [
    ...(spec.quarantine ? [spec.quarantine.reason] : []),
    ...(record ? [`repeated failures (${record.reasons.join(', ')})`] : []),
  ];
}

/** Removes the status first: a change of the spec makes the provider read both. */
async function lift(client: Client, { metadata, spec, status }: MacHost): Promise<void> {
  if (status?.quarantine) {
    const body = { status: { quarantine: null } };
    await client.patch(macHosts, metadata, { type: 'merge', body }, { subresource: 'status' });
  }
  if (spec.quarantine) {
    const body = { metadata: { annotations: { [names.annotations.requestedBy]: null } }, spec: { quarantine: null } };
    await client.patch(macHosts, metadata, { type: 'merge', body });
  }
}

function releaseMessage(host: MacHost, reasons: readonly string[]): string {
  const { metadata, spec } = host;
  const by = spec.quarantine && metadata.annotations?.[names.annotations.requestedBy];
  const consumer = consumerOf(host);
  const named = spec.source.scaleway ? ' once its name at Scaleway has the pool prefix' : '';
  const next = consumer === undefined ? `machines of pool ${spec.pool} can claim it${named}` : `${consumer} keeps it`;
  return `${metadata.name} released from quarantine; ${next}.
It was quarantined${by === undefined ? '' : ` by ${by}`} (${reasons.join('; ')})
`;
}

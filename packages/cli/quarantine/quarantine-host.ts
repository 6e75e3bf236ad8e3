import { type MacHost, names } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { findHost } from '../cluster/find-host.ts';
import { macHosts } from '../cluster/resources.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import type { QuarantineOptions } from './quarantine-commands.ts';

/** Sets `spec.quarantine` of the MacHost. Only that field, so that a machine that claims the host at the same time is not affected. */
export async function quarantineHost(name: string, options: QuarantineOptions, context: CliContext): Promise<void> {
  const { reason, namespace } = options;
  const host = await withCluster(options, context, async client => {
    const { metadata, spec } = await findHost(client, { name, namespace });
    const since = spec.quarantine?.since ?? timestamp(context.clock.now());
    const body = {
      metadata: { annotations: { [names.annotations.requestedBy]: context.who } },
      spec: { quarantine: { reason, since } },
    };
    return client.patch(macHosts, metadata, { type: 'merge', body });
  });
  context.output.write(resultMessage(host));
}

function resultMessage({ metadata: { name }, spec: { pool, consumerRef } }: MacHost): string {
  const held = consumerRef
    ? `${consumerRef.namespace}/${consumerRef.name} keeps using the host. Once it releases the host, no other machine claims it.
To detach the host now and keep it unchanged: minifleet detach ${consumerRef.name} -n ${consumerRef.namespace}
`
    : '';
  return `${name} (pool ${pool}) quarantined; no machine claims it.
${held}To end the quarantine: minifleet release ${name}
`;
}

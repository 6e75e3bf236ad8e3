import { createHostNetwork, type HostNetwork, type Reporter } from '@minifleet/local-cluster';

/**
 * Addresses of their own for the Macs. Undefined, with a note, where this machine or its rights have none to give: the Macs
 * are then on loopback, to which the API server does not proxy; logs, exec and port-forward work all the same.
 */
export async function openNetwork(macs: number, reporter: Reporter): Promise<HostNetwork | undefined> {
  try {
    return await createHostNetwork({ name: 'up', addresses: macs });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    reporter.note(
      `the Macs are on loopback, so that kubectl get --raw /api/v1/nodes/…/proxy does not reach them: ${why}`,
    );
    return undefined;
  }
}

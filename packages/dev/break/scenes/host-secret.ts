import { secrets } from '@minifleet/kube';
import type { Stage } from '../stage.ts';

/** Writes a password where the provider looks for that of the host, as whoever is told that it is wrong does. */
export async function givePassword({ client, name, namespace }: Stage, password: string): Promise<void> {
  const data = { 'sudo-password': Buffer.from(password).toString('base64') };
  await client.patch(secrets, { namespace, name: `${name}-bootstrap` }, { type: 'merge', body: { data } });
}

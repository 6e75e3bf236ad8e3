/** Until the controller manager has made the default service account, every Pod is refused. */
import { setupRefused } from '../errors.ts';
import type { HttpsClient } from '../https-client.ts';
import { waitUntil } from '../wait-until.ts';

const DEADLINE = 30_000;

export async function untilPodsAreAccepted(client: HttpsClient): Promise<void> {
  const account = '/api/v1/namespaces/default/serviceaccounts/default';
  const made = await waitUntil(async () => (await client.ask(account)).status === 200, { deadline: DEADLINE });
  if (!made) throw setupRefused('Pods', `the controller manager made no service account within ${DEADLINE / 1000} s`);
}
